package variant_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/rewrite/variant"
)

// TestRewritersAndSyncModesAreNamedByConstants: code of what builds on this package spells no
// rewriter or sync mode where one is compared, set or looked up.
func TestRewritersAndSyncModesAreNamedByConstants(t *testing.T) {
	names := slices.Clone(variant.Syncs)
	for _, r := range variant.Rewriters {
		names = append(names, r.Name)
	}
	named := func(e ast.Expr) bool { // Rewriter or Sync of something, or a variable of that name
		if s, ok := e.(*ast.SelectorExpr); ok {
			e = s.Sel
		}
		id, ok := e.(*ast.Ident)
		return ok && slices.Contains([]string{"rewriter", "sync"}, strings.ToLower(id.Name))
	}
	files := token.NewFileSet()
	check := func(e ast.Expr) {
		if l, ok := e.(*ast.BasicLit); ok && l.Kind == token.STRING {
			text, _ := strconv.Unquote(l.Value)
			assert.NotContains(t, names, text, "%s: package variant has a constant for %s", files.Position(l.Pos()), l.Value)
		}
	}
	seen := 0
	for _, folder := range []string{"rewrite", "pipeline", "tune", "cmd", "report", "project", "internal"} {
		require.NoError(t, filepath.WalkDir(filepath.Join("..", "..", folder), func(path string, e fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(files, path, nil, 0)
			if err != nil {
				return err
			}
			seen++
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.BinaryExpr:
					if named(n.X) {
						check(n.Y)
					}
				case *ast.KeyValueExpr:
					if named(n.Key) {
						check(n.Value)
					}
				case *ast.AssignStmt:
					for i, e := range n.Lhs {
						if named(e) && i < len(n.Rhs) {
							check(n.Rhs[i])
						}
					}
				case *ast.SwitchStmt:
					if n.Tag != nil && named(n.Tag) {
						for _, c := range n.Body.List {
							for _, e := range c.(*ast.CaseClause).List {
								check(e)
							}
						}
					}
				case *ast.CallExpr:
					if s, ok := n.Fun.(*ast.SelectorExpr); ok && slices.Contains([]string{"Named", "NewFindings"}, s.Sel.Name) {
						for _, e := range n.Args {
							check(e)
						}
					}
				}
				return true
			})
			return nil
		}))
	}
	require.Greater(t, seen, 300)
}
