package contracts

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
)

// What is committed is what the sources compile to.
func TestCompilesToTheCommittedCode(t *testing.T) {
	out, err := exec.Command("node", "build.mjs", "--check").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, strings.TrimSpace(string(out)))
	}
}

// The addresses are those CREATE2 gives through the Deployer.
func TestAddresses(t *testing.T) {
	r := newRig(t)
	router, executor := Addresses(r.wrapped)
	if router != r.router || executor != r.exec {
		t.Errorf("deployed to %s and %s, Addresses says %s and %s", r.router, r.exec, router, executor)
	}
	if got := r.must(user, executor, nil, pack(Executor, "router")); [20]byte(got[12:]) != router {
		t.Errorf("the Executor serves %x", got)
	}
}

// tx.to never changes: users have approved it. The Executor may.
func TestRouterKeepsItsAddress(t *testing.T) {
	const want = "0xfaB5C58b3a84fe5f2b0EfEa83279B8661d9099Fd"
	wrapped := common.HexToAddress("0x3bd359C1119dA7Da1D913D1C4D2B7c461115433A") // Monad's
	if router, _ := Addresses(wrapped); router.Hex() != want {
		t.Errorf("the Router is at %s, want %s", router, want)
	}
}

// Pools of canonical code stand where they stand on mainnet.
func TestCanonicalInitCode(t *testing.T) {
	const want = "0x96e8ac4277198ff8b6f785478aa9a39f403cb768dd02cbee326c3e7da348845f"
	if got := crypto.Keccak256Hash(newRig(t).artifact("UniswapV2Pair-30").Code).Hex(); got != want {
		t.Errorf("init code hash %s, want %s", got, want)
	}
}

// make run does not build what only tests use.
func TestJobsOfRun(t *testing.T) {
	jobs := func(purpose string) []string {
		out, err := exec.Command("node", "build.mjs", "--dry-run", "--for", purpose, "--artifacts", t.TempDir()).Output()
		if err != nil {
			t.Fatalf("--for %s: %v", purpose, err)
		}
		return strings.Split(strings.TrimSpace(string(out)), "\n")
	}
	run, test := jobs("run"), jobs("test")
	left := slices.DeleteFunc(slices.Clone(test), func(job string) bool { return slices.Contains(run, job) })
	if want := []string{"contracts of the tests", "SwapRouter"}; !slices.Equal(left, want) || len(run)+len(left) != len(test) {
		t.Errorf("run leaves out %q of %q, want %q", left, test, want)
	}
}
