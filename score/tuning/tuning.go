// Package tuning makes the constants that steer a search settable, so that what half
// and double of each do can be measured without a build for every value.
package tuning

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/constant"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Constant is a constant that steers a search.
type Constant struct {
	Package, Name string // the package by the last part of its path
	Value         float64
	Type          string // of its uses
	Fixed         bool   // the size of an array, or the like: it cannot be set
}

// Flag is the flag that sets the constant in an instrumented build.
func (c *Constant) Flag() string { return c.Package + "." + c.Name }

// Half is half of the value, rounded down if it counts something.
func (c *Constant) Half() float64 {
	if !strings.HasPrefix(c.Type, "float") {
		return float64(int(c.Value) / 2)
	}
	return c.Value / 2
}

// FileName is the file of a package that its constants are in.
const FileName = "constants.go"

// Instrument lists the constants of folders, each a package, and gives the text of files
// in which they are variables with a flag each: for go build -overlay.
func Instrument(folders []string) ([]Constant, map[string][]byte, error) {
	in, err := check(folders)
	if err != nil {
		return nil, nil, err
	}
	var list []Constant
	files := map[string][]byte{}
	for _, p := range in.packages {
		of := in.convert(p)
		list = append(list, of...)
		path := filepath.Join(p.folder, "constants_flags.go")
		if files[path], err = flags(p.Name(), of); err != nil {
			return nil, nil, err
		}
	}
	for path, edits := range in.edits {
		if files[path], err = apply(path, edits); err != nil {
			return nil, nil, err
		}
	}
	return list, files, nil
}

// convert makes the constants of a package variables, but for those that are fixed.
func (in *checker) convert(p *checked) (list []Constant) {
	for _, f := range p.files {
		path := in.set.Position(f.Pos()).Filename
		if filepath.Base(path) != FileName {
			continue
		}
		source, _ := os.ReadFile(path) // has been parsed
		eachDeclaration(f, func(d *ast.GenDecl) {
			var text strings.Builder
			for _, spec := range d.Specs {
				s := spec.(*ast.ValueSpec)
				for i, name := range s.Names {
					c := in.constant(p, name)
					expression := in.converted(string(source[in.offset(s.Values[i].Pos()):in.offset(s.Values[i].End())]), &c)
					if c.Fixed {
						fmt.Fprintf(&text, "const %s = %s\n", c.Name, expression)
					} else {
						fmt.Fprintf(&text, "var %s %s = %s\n", c.Name, c.Type, expression)
					}
					list = append(list, c)
				}
			}
			in.edits[path] = append(in.edits[path], edit{in.offset(d.Pos()), in.offset(d.End()), text.String()})
		})
	}
	return list
}

func (in *checker) constant(p *checked, name *ast.Ident) Constant {
	o := p.info.Defs[name]
	u := in.uses[keyOf(o)]
	c := Constant{Package: p.Name(), Name: name.Name, Type: u.kind(o), Fixed: u.fixed}
	c.Value, _ = constant.Float64Val(constant.ToFloat(valueOf(o)))
	return c
}

var word = regexp.MustCompile(`\b[A-Za-z]\w*\b`)

// converted is an expression with the constants in it converted to the type of c.
func (in *checker) converted(expression string, c *Constant) string {
	return word.ReplaceAllStringFunc(expression, func(name string) string {
		if u := in.uses[c.Package+"."+name]; u != nil && !c.Fixed {
			return c.Type + "(" + name + ")"
		}
		return name
	})
}

// flags is a file that declares a flag for each constant.
func flags(pkg string, list []Constant) ([]byte, error) {
	var text strings.Builder
	fmt.Fprintf(&text, "package %s\n\nimport (\n\"flag\"\n\"strconv\"\n)\n\nfunc init() {\n", pkg)
	for _, c := range list {
		if !c.Fixed {
			fmt.Fprintf(&text, "flag.Func(%q, \"\", func(text string) error {\nv, err := strconv.ParseFloat(text, 64)\n%s = %s(v)\nreturn err\n})\n", c.Flag(), c.Name, c.Type)
		}
	}
	text.WriteString("}\n")
	return format.Source([]byte(text.String()))
}

// Overlay writes files into a folder, and the file that go build -overlay reads.
func Overlay(dir string, files map[string][]byte) (string, error) {
	replace := map[string]string{}
	for path, text := range files {
		replace[path] = filepath.Join(dir, fmt.Sprint(len(replace), ".go"))
		if err := os.WriteFile(replace[path], text, 0o600); err != nil {
			return "", err
		}
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	list := filepath.Join(dir, "overlay.json")
	return list, os.WriteFile(list, data, 0o600)
}

// noted is a line that Annotate wrote.
var noted = regexp.MustCompile(`^\s*// \w+: half: .*; double: .*\n?$`)

// Annotate puts a comment line above each constant of a file that has a note, in place
// of the one that it wrote before. A note is what half and what double of it do.
func Annotate(path string, notes map[string][2]string) error {
	source, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var kept []byte
	for line := range strings.Lines(string(source)) {
		if !noted.MatchString(line) {
			kept = append(kept, line...)
		}
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, kept, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	var out []byte
	from := 0
	eachDeclaration(file, func(d *ast.GenDecl) {
		for _, spec := range d.Specs {
			at := set.Position(spec.Pos()).Offset
			for kept[at-1] != '\n' {
				at--
			}
			out, from = append(out, kept[from:at]...), at
			for _, name := range spec.(*ast.ValueSpec).Names {
				if n, ok := notes[name.Name]; ok {
					out = fmt.Appendf(out, "\t// %s: half: %s; double: %s\n", name.Name, n[0], n[1])
				}
			}
		}
	})
	if out, err = format.Source(append(out, kept[from:]...)); err != nil {
		return err
	}
	return os.WriteFile(path, out, 0o644)
}

// eachDeclaration shows the declarations of constants of a file.
func eachDeclaration(f *ast.File, show func(*ast.GenDecl)) {
	for _, d := range f.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.CONST {
			show(g)
		}
	}
}
