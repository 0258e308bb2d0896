package effect_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the lists of what decides effects and types elsewhere")

// TestWhoDecidesElsewhere: what still judges by itself which operations have effects (it names two of those that the
// table leaves out, or assignments, steps and calls), or which names are of numbers (it names three). The lists may
// get shorter only: ask this package and ir.NumberOf instead.
func TestWhoDecidesElsewhere(t *testing.T) {
	effects, changes := []string{"OpAsm", "OpLambda", "OpNew", "OpUnknown", "OpLaunch"}, []string{"OpAssign", "OpIncDec", "OpCall"}
	numbers := []string{`"bool"`, `"char"`, `"short"`, `"int"`, `"unsigned"`, `"unsigned int"`, `"uint"`, `"long"`, `"size_t"`, `"float"`, `"double"`}
	root := filepath.Join("..", "..", "..")
	var decide, name []string
	for _, room := range []string{"analysis", "rewrite", "validate", "verify", "tune", "pipeline"} {
		require.NoError(t, filepath.WalkDir(filepath.Join(root, room), func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
				return err
			}
			place, err := filepath.Rel(root, path)
			require.NoError(t, err)
			place = filepath.ToSlash(place)
			if strings.HasPrefix(place, "analysis/ir/") {
				return nil
			}
			f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			for _, d := range f.Decls {
				ops, changed, named := map[string]bool{}, map[string]bool{}, map[string]bool{}
				ast.Inspect(d, func(n ast.Node) bool {
					switch n := n.(type) {
					case *ast.SelectorExpr:
						if slices.Contains(effects, n.Sel.Name) {
							ops[n.Sel.Name] = true
						}
						if slices.Contains(changes, n.Sel.Name) {
							changed[n.Sel.Name] = true
						}
					case *ast.BasicLit:
						if slices.Contains(numbers, n.Value) {
							named[n.Value] = true
						}
					}
					return true
				})
				if len(ops) > 1 || len(changed) == len(changes) {
					decide = append(decide, fmt.Sprintf("%s: %s", place, declared(d)))
				}
				if len(named) > 2 || named[`"unsigned int"`] {
					name = append(name, fmt.Sprintf("%s: %s", place, declared(d)))
				}
			}
			return nil
		}))
	}
	for file, found := range map[string][]string{"effects.txt": decide, "types.txt": name} {
		slices.Sort(found)
		path := filepath.Join("testdata", file)
		if *update {
			require.NoError(t, os.WriteFile(path, []byte(strings.Join(found, "\n")+"\n"), 0o644))
		}
		listed, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, strings.TrimSpace(string(listed)), strings.Join(found, "\n"), "%s: %d", file, len(found))
	}
}

// declared is the name of a declaration.
func declared(d ast.Decl) string {
	switch d := d.(type) {
	case *ast.FuncDecl:
		return d.Name.Name
	case *ast.GenDecl:
		for _, s := range d.Specs {
			if v, ok := s.(*ast.ValueSpec); ok {
				return v.Names[0].Name
			}
		}
	}
	return "?"
}
