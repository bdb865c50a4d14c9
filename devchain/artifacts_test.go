package devchain_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"braid/devchain"
	"braid/families"
	"braid/monad"
)

// What make run builds is all that a chain with every source needs.
func TestArtifactsOfRunSuffice(t *testing.T) {
	const all = "../build/artifacts"
	jobs, err := exec.Command("node", "../contracts/build.mjs", "--dry-run", "--for", "run", "--artifacts", t.TempDir()).Output()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(all, ".stamps.json"))
	if err != nil {
		t.Fatalf("%v: run make artifacts", err)
	}
	var stamps map[string]struct{ Names []string }
	if err := json.Unmarshal(data, &stamps); err != nil {
		t.Fatal(err)
	}
	c := config()
	c.Artifacts, c.Families = t.TempDir(), families.Of(c.Sources, monad.WrappedNative)
	for job := range strings.SplitSeq(strings.TrimSpace(string(jobs)), "\n") {
		if len(stamps[job].Names) == 0 {
			t.Fatalf("nothing was built by %q: run make artifacts", job)
		}
		for _, name := range stamps[job].Names {
			artifact, err := os.ReadFile(filepath.Join(all, name+".json"))
			if err == nil {
				err = os.WriteFile(filepath.Join(c.Artifacts, name+".json"), artifact, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	chain, err := devchain.Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	chain.Close()
}
