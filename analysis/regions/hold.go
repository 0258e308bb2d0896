package regions

import (
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/footprint"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/pointers"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/lists"
)

func holdAt(kind analysis.HoldKind, at ir.Range, arrays ...*analysis.Shared) analysis.Hold {
	return analysis.Hold{Kind: kind, At: at, Arrays: arrays}
}

// holdOfRun returns what holds several statements together: what is live between them.
// Its last reads are in the last of the statements.
func holdOfRun(k *analysis.Kernel, fn *ir.Func, stmts []*ir.Stmt, live []footprint.Memory) analysis.Hold {
	arrays := liveArrays(k, live[len(live)-1])
	return holdAt(analysis.HoldValues, firstAccess(k, fn, stmts[len(stmts)-1], arrays), arrays...)
}

// holdOfEntry returns what holds a statement together that can't be split, since
// it may read what was there before it.
func holdOfEntry(k *analysis.Kernel, fn *ir.Func, s *ir.Stmt, live footprint.Memory) analysis.Hold {
	arrays := liveArrays(k, live)
	return holdAt(analysis.HoldEntry, firstAccess(k, fn, s, arrays), arrays...)
}

// holdOfStatement returns what holds a statement together that is not a loop, if or compound.
func holdOfStatement(k *analysis.Kernel, fn *ir.Func, s *ir.Stmt) analysis.Hold {
	h := holdAt(analysis.HoldStatement, s.Range)
	s.WalkExprs(func(e *ir.Expr) bool {
		if e.Op == ir.OpCall && h.Callee == nil && pointers.TouchedBy(k, fn, e) != 0 {
			if callees := k.Callees(fn, e); len(callees) > 0 {
				h.Kind, h.At, h.Callee = analysis.HoldCall, e.Range, callees[0]
			}
		}
		return h.Callee == nil
	})
	return h
}

// headTouches returns the shared variables that a loop's head uses.
func headTouches(k *analysis.Kernel, fn *ir.Func, s *ir.Stmt) analysis.ArraySet {
	set := pointers.TouchedIn(k, fn, s.Cond) | pointers.TouchedIn(k, fn, s.Post)
	if s.Init != nil {
		set |= pointers.TouchedUnder(k, fn, s.Init)
	}
	return set
}

// firstAccess finds the place where a statement first mentions one of some arrays.
func firstAccess(k *analysis.Kernel, fn *ir.Func, s *ir.Stmt, arrays []*analysis.Shared) ir.Range {
	at := s.Range
	found := false
	s.WalkExprs(func(e *ir.Expr) bool {
		here := arraysOf(k, pointers.TouchedHere(k, fn, e))
		if !found && slices.ContainsFunc(here, func(s *analysis.Shared) bool { return slices.Contains(arrays, s) }) {
			at, found = e.Range, true
		}
		return !found
	})
	return at
}

// liveArrays returns the variables of which something is live at one of some places.
func liveArrays(k *analysis.Kernel, live ...footprint.Memory) []*analysis.Shared {
	set := analysis.ArraySet(0)
	for _, m := range live {
		for i := range m {
			if !m[i].Empty() {
				set |= 1 << i
			}
		}
	}
	return arraysOf(k, set)
}

// arraysOf returns the shared variables of a set.
func arraysOf(k *analysis.Kernel, set analysis.ArraySet) []*analysis.Shared {
	return lists.Filter(k.Shared, func(s *analysis.Shared) bool { return set&(1<<s.Index) != 0 })
}

// ReportHold is a region's Hold as plain data.
func ReportHold(r *analysis.Region) HoldReport {
	h := r.Hold
	out := HoldReport{Kind: h.Kind, Position: r.Func.File.Position(h.At.Start), Arrays: Names(h.Arrays)}
	if h.Callee != nil {
		out.Function = h.Callee.View.Name
	}
	out.Text = h.Text(diag.AndList(out.Arrays), out.Function)
	return out
}
