package tuning

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// checker finds how packages use each other's constants.
type checker struct {
	set      *token.FileSet
	packages []*checked
	uses     map[string]*use   // by package.name
	edits    map[string][]edit // by file
}

type checked struct {
	*types.Package
	folder string
	files  []*ast.File
	info   types.Info
}

// use is how a constant is used: with which type, and whether where only a constant may be.
type use struct {
	of    string
	fixed bool
}

// kind is the type that a variable needs in place of the constant.
func (u *use) kind(o types.Object) string {
	if u.of == "" {
		return types.Default(o.Type()).String()
	}
	return u.of
}

func keyOf(o types.Object) string { return path.Base(o.Pkg().Path()) + "." + o.Name() }

func valueOf(o types.Object) constant.Value { return o.(*types.Const).Val() }

func (in *checker) offset(p token.Pos) int { return in.set.Position(p).Offset }

// edit replaces a part of a file.
type edit struct {
	from, to int
	text     string
}

func apply(path string, edits []edit) ([]byte, error) {
	source, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(edits, func(a, b edit) int { return a.from - b.from })
	var out []byte
	at := 0
	for _, e := range edits {
		out, at = append(append(out, source[at:e.from]...), e.text...), e.to
	}
	return append(out, source[at:]...), nil
}

// check reads packages and notes how they use constants.
func check(folders []string) (*checker, error) {
	in := &checker{set: token.NewFileSet(), uses: map[string]*use{}, edits: map[string][]edit{}}
	exports, err := exportsOf(folders)
	if err != nil {
		return nil, err
	}
	open := func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) }
	config := types.Config{Importer: importer.ForCompiler(in.set, "gc", open)}
	for _, folder := range folders {
		p, err := in.parse(folder)
		if err != nil {
			return nil, err
		}
		if p.Package, err = config.Check(p.folder, in.set, p.files, &p.info); err != nil {
			return nil, err
		}
		for _, o := range p.info.Defs {
			if c, ok := o.(*types.Const); ok && filepath.Base(in.set.Position(c.Pos()).Filename) == FileName {
				in.uses[keyOf(c)] = &use{}
			}
		}
		in.packages = append(in.packages, p)
	}
	// Twice: the first use decides on the type, others are converted to theirs.
	for _, edit := range []bool{false, true} {
		for _, p := range in.packages {
			for _, f := range p.files {
				ast.Walk(&visitor{in: in, p: p, own: filepath.Base(in.set.Position(f.Pos()).Filename) == FileName, edit: edit}, f)
			}
		}
	}
	return in, nil
}

// exportsOf is the file of export data by import path, of all that folders import.
func exportsOf(folders []string) (map[string]string, error) {
	arguments := []string{"list", "-export", "-deps", "-f", "{{.ImportPath}}={{.Export}}"}
	said, err := exec.Command("go", append(arguments, folders...)...).Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	exports := map[string]string{}
	for _, line := range strings.Fields(string(said)) {
		path, file, _ := strings.Cut(line, "=")
		exports[path] = file
	}
	return exports, nil
}

func (in *checker) parse(folder string) (*checked, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return nil, err
	}
	p := &checked{folder: folder, info: types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(in.set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		p.files = append(p.files, f)
	}
	return p, nil
}

// visitor notes the uses of constants below a node.
type visitor struct {
	in    *checker
	p     *checked
	own   bool   // the file is that of the constants
	fixed bool   // only a constant may be here
	outer string // type of the constant expression that this is a part of
	edit  bool
}

func (v *visitor) Visit(n ast.Node) ast.Visitor {
	switch n := n.(type) {
	case *ast.ArrayType:
		if n.Len != nil {
			inside := *v
			inside.fixed = true
			ast.Walk(&inside, n.Len)
		}
		ast.Walk(v, n.Elt)
		return nil
	case *ast.GenDecl:
		if n.Tok == token.CONST {
			if v.own {
				return nil // converted as a whole
			}
			inside := *v
			inside.fixed = true
			return &inside
		}
	case *ast.SelectorExpr:
		v.note(n, n.Sel)
		ast.Walk(v, n.X)
		return nil
	case *ast.Ident:
		v.note(n, n)
	case ast.Expr:
		// The type checker leaves the parts of a constant expression without a type.
		if t := v.p.info.Types[n]; t.Value != nil && !untyped(t.Type) {
			inside := *v
			inside.outer = t.Type.String()
			return &inside
		}
	}
	return v
}

func untyped(t types.Type) bool {
	basic, ok := t.(*types.Basic)
	return ok && basic.Info()&types.IsUntyped != 0
}

// note notes, or converts, the use of a constant as an expression.
func (v *visitor) note(e ast.Expr, name *ast.Ident) {
	o, ok := v.p.info.Uses[name].(*types.Const)
	if !ok || o.Pkg() == nil {
		return
	}
	u := v.in.uses[keyOf(o)]
	if u == nil {
		return
	}
	u.fixed = u.fixed || v.fixed
	t, ok := v.p.info.Types[e]
	of := v.outer
	if ok && !untyped(t.Type) {
		of = t.Type.String()
	}
	switch {
	case of == "" || v.fixed:
	case u.of == "":
		u.of = of
	case u.of != of && v.edit && !u.fixed:
		path := v.in.set.Position(e.Pos()).Filename
		from, to := v.in.offset(e.Pos()), v.in.offset(e.End())
		text := name.Name
		if s, ok := e.(*ast.SelectorExpr); ok {
			text = s.X.(*ast.Ident).Name + "." + text
		}
		v.in.edits[path] = append(v.in.edits[path], edit{from, to, of + "(" + text + ")"})
	}
}
