package arrows

import (
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

// Budgets, tests and lab aside. What is larger is listed with its size, which may fall and not grow.
const (
	mostFiles   = 25 // of a folder
	mostLines   = 4500
	mostMethods = 40 // of a type
	mostFields  = 24 // of a struct
)

type size struct{ files, lines int }

var largeFolders = map[string]size{
	"acc":           {48, 9239},
	"analysis/cost": {33, 6368},
	"analysis/ir":   {26, 4088},
	"cmd":           {51, 7780},
	"parser":        {61, 7892},
	"rewrite/merge": {48, 7490},
	"rewrite/stage": {37, 8517},
	"verify":        {30, 5000},
}

var manyMethods = map[string]int{
	"acc.emitter": 45, "acc.translation": 135, "acc.unit": 85, "analysis.Program": 47, "analysis/footprint.Execution": 47, "analysis/evaluate.Frame": 45,
	"analysis/cost.frame": 108, "analysis/cost.walk": 74, "analysis/ir.lowerer": 86, "analysis/ir/effect.Scope": 64, "cmd.session": 136, "rewrite/merge.mergeProof": 128,
	"rewrite/slice.roundsCheck": 55, "rewrite/slice.sliceProof": 53, "rewrite/stage.copyProof": 43, "rewrite/stage.indexForms": 106,
	"validate/content.content": 45, "validate/kit.Alignment": 77, "validate/slice.replay": 66, "validate/stage.staging": 70, "validate/stage.symbolic": 56,
	"verify.session": 55, "verify/translate.text": 47,
}

var manyFields = map[string]int{
	"analysis/cost.walk": 62, "model/gpu.Arch": 37, "model/sim.machine": 31, "report/page.kernel": 26,
	"rewrite/slice.roundsCheck": 28, "rewrite/variant.Variant": 29, "tune.Options": 27, "validate/slice.replay": 38, "validate/stage.staging": 27, "verify/execute.record": 27,
}

func TestFoldersAndTypesKeepTheirBudgets(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	folders, methods, fields := map[string]size{}, map[string]int{}, map[string]int{}
	require.NoError(t, filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, filepath.Dir(path))
		if folder := filepath.ToSlash(name); err == nil && filepath.Ext(path) == ".go" && !strings.HasSuffix(path, "_test.go") && !inLab(folder) && !strings.Contains(folder, "testdata") {
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			s := folders[folder]
			folders[folder] = size{s.files + 1, s.lines + strings.Count(string(text), "\n")}
			file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
			require.NoError(t, err)
			count(file, folder+".", methods, fields)
		}
		return err
	}))
	require.NotEmpty(t, folders)
	for folder, s := range folders {
		most, listed := largeFolders[folder]
		large := s.files > mostFiles || s.lines > mostLines
		assert.Equal(t, listed, large, "%s has %d files and %d lines; listed: %v", folder, s.files, s.lines, listed)
		if listed {
			assert.LessOrEqual(t, s.files, most.files, "files of %s", folder)
			assert.LessOrEqual(t, s.lines, most.lines+most.lines/100, "lines of %s, but for a hundredth", folder)
		}
	}
	within(t, "methods", methods, manyMethods, mostMethods)
	within(t, "fields", fields, manyFields, mostFields)
}

// count adds the methods and fields of a file's types.
func count(file *ast.File, prefix string, methods, fields map[string]int) {
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv != nil {
				of := d.Recv.List[0].Type
				if p, ok := of.(*ast.StarExpr); ok {
					of = p.X
				}
				if id, ok := of.(*ast.Ident); ok {
					methods[prefix+id.Name]++
				}
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if s, ok := s.(*ast.TypeSpec); ok {
					if of, ok := s.Type.(*ast.StructType); ok {
						for _, f := range of.Fields.List {
							fields[prefix+s.Name.Name] += max(1, len(f.Names))
						}
					}
				}
			}
		}
	}
}

// within compares counts with the most that there may be, and with the list of what has more.
func within(t *testing.T, what string, counts, listed map[string]int, most int) {
	var names []string
	for name, n := range counts {
		if n > most {
			names = append(names, name)
			assert.LessOrEqual(t, n, listed[name], "%s of %s", what, name)
		}
	}
	for name := range listed {
		assert.True(t, slices.Contains(names, name), "%s has no more than %d %s: take it off the list", name, most, what)
	}
}
