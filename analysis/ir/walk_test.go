package ir_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/smux-cuda/smux/analysis/ir"
)

// TestRangesYieldWhatWalksVisit: in the same order, and a loop over them may end at each place.
func TestRangesYieldWhatWalksVisit(t *testing.T) {
	body := lower(t, "void f(int *a, int n) { for (int i = 0; i < n; i++) if (a[i] > n) a[i] = g<n>(i, a[i + 1]); else return; }").Body
	var stmts []*ir.Stmt
	var exprs []*ir.Expr
	body.Walk(func(s *ir.Stmt) bool { stmts = append(stmts, s); return true })
	body.WalkExprs(func(e *ir.Expr) bool { exprs = append(exprs, e); return true })
	assert.Greater(t, len(stmts), 5)
	assert.Greater(t, len(exprs), 15)
	for end := range len(stmts) {
		var seen []*ir.Stmt
		for s := range body.All() {
			if seen = append(seen, s); len(seen) > end {
				break
			}
		}
		assert.Equal(t, stmts[:end+1], seen)
	}
	for end := range len(exprs) {
		var seen []*ir.Expr
		for e := range body.AllExprs() {
			if seen = append(seen, e); len(seen) > end {
				break
			}
		}
		assert.Equal(t, exprs[:end+1], seen)
	}
	for range (*ir.Stmt)(nil).AllExprs() {
		assert.Fail(t, "there is none")
	}
}
