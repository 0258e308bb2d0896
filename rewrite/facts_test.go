package rewrite_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis"
)

// TestFactsOfLaunchesAreListed: docs/develop/analysis.md says of each fact that an instance of a kernel has from its launches
// what the emitted text does about it.
func TestFactsOfLaunchesAreListed(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "docs", "develop", "analysis.md"))
	require.NoError(t, err)
	_, rest, ok := strings.Cut(string(page), "## Grounds of a rewrite\n")
	require.True(t, ok)
	section, _, _ := strings.Cut(rest, "\n## ")
	for _, f := range reflect.VisibleFields(reflect.TypeFor[analysis.Instance]()) {
		if f.IsExported() {
			assert.Contains(t, section, "`Instance."+f.Name+"`")
		}
	}
}

// TestReadersOfLaunchesAreListed: ../testdata/facts.txt lists the functions that read what launches and host code
// say. One that is new there needs a check in the emitted text, and a row on docs/develop/analysis.md where the fact is new.
func TestReadersOfLaunchesAreListed(t *testing.T) {
	facts := []string{"Shape", "BlockShape", "DynamicBytes", "Launch", "Launches", "Indirect", "Instances", "Argument", "Grid", "UsualGrid", "Counted", "Assumed", "Told"}
	var readers []string
	for _, dir := range []string{"rewrite/*", "rewrite", "analysis/*", "analysis", "validate/*", "validate"} {
		files, err := filepath.Glob(filepath.Join("..", dir, "*.go"))
		require.NoError(t, err)
		for _, path := range files {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			for _, imported := range f.Imports {
				for _, values := range []string{"sizes", "cost", "usual"} { // they take what a program usually passes
					if !strings.Contains(path, "/analysis/") {
						assert.NotContains(t, imported.Path.Value, "/analysis/"+values, path)
					}
				}
			}
			name, err := filepath.Rel("..", path)
			require.NoError(t, err)
			for _, d := range f.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if !ok {
					continue
				}
				var read []string
				ast.Inspect(fn, func(n ast.Node) bool {
					if s, ok := n.(*ast.SelectorExpr); ok && slices.Contains(facts, s.Sel.Name) && !slices.Contains(read, s.Sel.Name) && !ofPackage(s) {
						read = append(read, s.Sel.Name)
					}
					return true
				})
				if len(read) > 0 {
					slices.Sort(read)
					readers = append(readers, fmt.Sprintf("%s: %s: %s", filepath.ToSlash(name), fn.Name.Name, strings.Join(read, " ")))
				}
			}
		}
	}
	slices.Sort(readers)
	path := filepath.Join("..", "testdata", "facts.txt")
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(strings.Join(readers, "\n")+"\n"), 0o666))
	}
	listed, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, strings.Split(strings.TrimSpace(string(listed)), "\n"), readers)
	for _, r := range readers {
		if !strings.HasPrefix(r, "analysis/") {
			for _, fact := range strings.Fields(r) {
				assert.NotContains(t, []string{"Argument", "Grid", "Counted"}, fact, "%s: what a program passes decides nothing", r)
			}
		}
	}
}

// ofPackage reports whether a selector names something of a package: intrinsic.Grid.
func ofPackage(s *ast.SelectorExpr) bool {
	x, ok := s.X.(*ast.Ident)
	return ok && slices.Contains([]string{"intrinsic", "parser", "ir", "diag", "occupancy"}, x.Name)
}
