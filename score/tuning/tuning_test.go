package tuning_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"braid/score/tuning"
)

const declared = `package p

const (
	// Size of an array.
	Size = 4
	// part and count are numbers.
	part, count = 1. / 4, 3
	// twice is derived.
	twice = 2 * part
)
`

const used = `package p

import "fmt"

var list [Size]int

func Print() { fmt.Println(float64(len(list))*part, count, twice*count) }
`

// module writes a module of a package p and a command that prints what it computes.
func module(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module m\n\ngo 1.26\n", "p/constants.go": declared, "p/used.go": used,
		"main.go": "package main\n\nimport (\n\t\"flag\"\n\n\t\"m/p\"\n)\n\nfunc main() { flag.Parse(); p.Print() }\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestInstrument: an instrumented program computes the same, but for constants that a
// flag sets; sizes of arrays stay.
func TestInstrument(t *testing.T) {
	dir := module(t)
	t.Chdir(dir)
	list, files, err := tuning.Instrument([]string{"./p"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range list {
		got = append(got, c.Name+" "+c.Type)
	}
	if want := "Size int, part float64, count int, twice float64"; strings.Join(got, ", ") != want || !list[0].Fixed || list[1].Fixed || list[1].Half() != 1./8 || list[2].Half() != 1 {
		t.Fatalf("%+v", list)
	}
	overlay, err := tuning.Overlay(t.TempDir(), files)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ flag, want string }{{"--", "1 3 1.5"}, {"-p.part=0.5", "2 3 1.5"}, {"-p.count=6", "1 6 3"}} {
		cmd := exec.Command("go", "run", "-overlay="+overlay, ".", row.flag)
		if out, err := cmd.CombinedOutput(); err != nil || strings.TrimSpace(string(out)) != row.want {
			t.Errorf("%s: %s %v, not %s", row.flag, out, err, row.want)
		}
	}
}

// TestAnnotate: notes stand above their constants, in place of those written before.
func TestAnnotate(t *testing.T) {
	path := filepath.Join(module(t), "p", tuning.FileName)
	for _, note := range []string{"first", "second"} {
		if err := tuning.Annotate(path, map[string][2]string{"count": {note, "same"}}); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if want := strings.Replace(declared, "\tpart,", "\t// count: half: second; double: same\n\tpart,", 1); err != nil || string(got) != want {
		t.Errorf("%v:\n%s", err, got)
	}
}
