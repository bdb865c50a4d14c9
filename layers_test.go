package braid_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// mayImport is policy: which packages of this module a package may import. It is
// changed deliberately, in a commit of its own. A package imports only packages of
// lower layers; a family never imports a family; nothing imports cmd. Tests may
// import any package. "*" is all of them.
var mayImport = map[string][]string{
	"u256":           {},
	"contracts":      {},
	"gas":            {"u256"},
	"evm":            {"u256"},
	"venue":          {"u256", "gas"},
	"ticks":          {"u256"},
	"sequence":       {},
	"venue/univ2":    {"u256", "gas", "venue"},
	"venue/univ3":    {"u256", "gas", "venue", "ticks"},
	"venue/univ4":    {"u256", "gas", "venue", "ticks"},
	"venue/balancer": {"u256", "gas", "venue"},
	"venue/kuru":     {"u256", "gas", "venue", "sequence"},
	"venue/hanji":    {"u256", "gas", "venue", "sequence"},
	"venue/nadfun":   {"u256", "gas", "venue"},
	"families":       {"venue", "venue/univ2", "venue/univ3", "venue/univ4", "venue/balancer", "venue/kuru", "venue/hanji", "venue/nadfun"},
	"venuetest":      {"u256", "gas", "venue", "ticks", "evm", "contracts", "devchain"},
	"plan":           {"u256", "venue"},
	"market":         {"u256", "venue"},
	"monad":          {"u256", "venue", "market"},
	"router/flow":    {"venue"},
	"router/graph":   {"venue", "market"},
	"router/path":    {"u256", "venue", "market", "router/flow", "router/graph"},
	"router/choose":  {"router/flow"},
	"router/exact":   {"u256", "venue", "plan", "router/flow", "router/graph", "router/path"},
	"router/bound":   {"u256", "router/flow", "router/graph", "router/path"},
	"router":         {"u256", "venue", "market", "plan", "router/flow", "router/path", "router/choose", "router/exact", "router/bound"},
	"markettest":     {"u256", "venue", "ticks", "market", "plan", "venue/univ2", "venue/univ3", "venue/univ4", "venue/hanji", "venue/nadfun"},
	"rival":          {"u256", "venue", "market", "plan"},
	"benchfile":      {"u256", "venue", "ticks", "venue/univ2", "venue/univ3", "families", "market", "monad", "plan", "router"},
	"score":          {"u256", "venue", "ticks", "market", "plan", "router", "rival", "benchfile"},
	"score/tuning":   {},
	"calldata":       {"u256", "gas", "venue", "plan"},
	"chain":          {"u256", "market", "contracts"},
	"faults":         {},
	"codec":          {"venue", "market"},
	"proof":          {"u256", "venue", "market", "contracts", "evm", "plan", "calldata", "chain"},
	"indexer":        {"u256", "venue", "market", "codec", "chain", "proof"},
	"feed":           {"u256", "venue", "market", "codec"},
	"feed/broker":    {},
	"devchain":       {"u256", "gas", "venue", "market", "monad", "contracts", "evm", "plan", "calldata"},
	"web":            {},
	"api":            {"u256", "venue", "market", "monad", "plan", "router", "calldata"},
	"api/openapi":    {},
	"cmd/braid":      {"*"},
}

// pure packages have no clock, no log, no files and no network.
var pure = []string{
	"u256", "gas", "ticks", "sequence", "plan", "market", "codec", "monad", "calldata",
	"venue", "venue/univ2", "venue/univ3", "venue/univ4", "venue/balancer", "venue/kuru", "venue/hanji", "venue/nadfun", "families",
	"router", "router/flow", "router/graph", "router/path", "router/choose", "router/exact", "router/bound",
}

// impure are the standard packages that a pure package may not import.
var impure = []string{"log", "log/slog", "net", "net/http", "os", "time", "context"}

// TestLayers checks the imports of every package against the policy.
func TestLayers(t *testing.T) {
	seen := map[string]bool{}
	eachGoFile(t, func(pkg, path string) {
		seen[pkg] = true
		allowed, known := mayImport[pkg]
		if !known {
			t.Errorf("%s: package %s is not on the list: add it, with what it may import", path, pkg)
			return
		}
		for _, imported := range imports(t, path) {
			if inner, internal := strings.CutPrefix(imported, "braid/"); internal {
				if !slices.Contains(allowed, inner) && !slices.Contains(allowed, "*") {
					t.Errorf("%s: %s may not import %s", path, pkg, inner)
				}
			} else if slices.Contains(pure, pkg) && slices.Contains(impure, imported) {
				t.Errorf("%s: %s is pure and may not import %s", path, pkg, imported)
			}
		}
	})
	for pkg := range mayImport {
		if !seen[pkg] {
			t.Errorf("package %s does not exist: remove it from the list", pkg)
		}
	}
}

// TestPackagesAreDescribed: ARCHITECTURE.md has the first sentence of every package's
// comment.
func TestPackagesAreDescribed(t *testing.T) {
	page, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	described := map[string]bool{}
	eachGoFile(t, func(pkg, path string) {
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if f.Doc == nil {
			return
		}
		described[pkg] = true
		sentence, _, _ := strings.Cut(strings.ReplaceAll(f.Doc.Text(), "\n", " "), ". ")
		sentence = strings.TrimSuffix(strings.TrimSpace(sentence), ".")
		if !strings.Contains(string(page), sentence) {
			t.Errorf("ARCHITECTURE.md does not say of %s: %q", pkg, sentence)
		}
	})
	for pkg := range mayImport {
		if !described[pkg] {
			t.Errorf("package %s has no package comment", pkg)
		}
	}
}

// eachGoFile calls do for every file of the product that is not a test.
func eachGoFile(t *testing.T, do func(pkg, path string)) {
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == "build" || d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && path != "."):
			return filepath.SkipDir
		case strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go"):
			do(filepath.ToSlash(filepath.Dir(path)), path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func imports(t *testing.T, path string) (list []string) {
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range f.Imports {
		p, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	return list
}
