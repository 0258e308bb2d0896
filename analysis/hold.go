package analysis

import (
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/diag"
)

// HoldKind is the kind of reason that keeps a region from being smaller.
type HoldKind string

// The reasons why a region is as large as it is.
const (
	HoldValues    HoldKind = "values"    // values that its first statements store are read by its last ones
	HoldEntry     HoldKind = "entry"     // something that its one statement reads is not proved to be written in it before
	HoldCarried   HoldKind = "carried"   // the same of an iteration of its loop: it may read what an earlier one left
	HoldControl   HoldKind = "control"   // its loop or if does not run alike for all threads of the grid
	HoldHead      HoldKind = "head"      // its loop's head or its if's condition uses shared memory
	HoldJump      HoldKind = "jump"      // a break or continue leaves what would be a region
	HoldCall      HoldKind = "call"      // its one statement is a call, which uses shared memory
	HoldMacro     HoldKind = "macro"     // its statement comes out of a macro
	HoldGaveUp    HoldKind = "gave-up"   // its loops have too many iterations to look at one by one
	HoldStatement HoldKind = "statement" // it is a single statement
)

// Hold is the reason why a region is not smaller: its kind, and where.
type Hold struct {
	Kind   HoldKind
	Arrays []*Shared  // what is live, or used where it must not be
	At     ir.Range   // the statement, condition or loop in question; of HoldValues the last reads
	Level  Uniformity // of HoldControl
	Callee *ir.Func   // of HoldCall
}

func (k *Kernel) holdAt(kind HoldKind, at ir.Range, arrays ...*Shared) Hold {
	return Hold{Kind: kind, At: at, Arrays: arrays}
}

// holdOfRun returns what holds several statements together: what is live between them.
// Its last reads are in the last of the statements.
func (k *Kernel) holdOfRun(fn *ir.Func, stmts []*ir.Stmt, live []memory) Hold {
	arrays := k.liveArrays(live[len(live)-1])
	return k.holdAt(HoldValues, k.firstAccess(fn, stmts[len(stmts)-1], arrays), arrays...)
}

// holdOfEntry returns what holds a statement together that can't be split, since
// it may read what was there before it.
func (k *Kernel) holdOfEntry(fn *ir.Func, s *ir.Stmt, live memory) Hold {
	arrays := k.liveArrays(live)
	return k.holdAt(HoldEntry, k.firstAccess(fn, s, arrays), arrays...)
}

// holdOfStatement returns what holds a statement together that is not a loop, if or
// compound.
func (k *Kernel) holdOfStatement(fn *ir.Func, s *ir.Stmt) Hold {
	h := k.holdAt(HoldStatement, s.Range)
	s.WalkExprs(func(e *ir.Expr) bool {
		if e.Op == ir.OpCall && h.Callee == nil && k.touchedBy(fn, e) != 0 {
			if callees := k.Callees(fn, e); len(callees) > 0 {
				h.Kind, h.At, h.Callee = HoldCall, e.Range, callees[0]
			}
		}
		return h.Callee == nil
	})
	return h
}

// headTouches returns the shared variables that a loop's head uses.
func (k *Kernel) headTouches(fn *ir.Func, s *ir.Stmt) arraySet {
	set := k.touchedIn(fn, s.Cond) | k.touchedIn(fn, s.Post)
	if s.Init != nil {
		set |= k.touchedUnder(fn, s.Init)
	}
	return set
}

// firstAccess finds the place where a statement first mentions one of some arrays.
func (k *Kernel) firstAccess(fn *ir.Func, s *ir.Stmt, arrays []*Shared) ir.Range {
	at := s.Range
	found := false
	s.WalkExprs(func(e *ir.Expr) bool {
		here := k.arraysOf(k.touchedHere(fn, e))
		if !found && slices.ContainsFunc(here, func(s *Shared) bool { return slices.Contains(arrays, s) }) {
			at, found = e.Range, true
		}
		return !found
	})
	return at
}

// liveArrays returns the variables of which something is live at one of some
// places.
func (k *Kernel) liveArrays(live ...memory) []*Shared {
	set := arraySet(0)
	for _, m := range live {
		for i := range m {
			if !m[i].empty() {
				set |= 1 << i
			}
		}
	}
	return k.arraysOf(set)
}

// arraysOf returns the shared variables of a set.
func (k *Kernel) arraysOf(set arraySet) (out []*Shared) {
	for _, s := range k.Shared {
		if set&(1<<s.index) != 0 {
			out = append(out, s)
		}
	}
	return out
}

// holdReport is a region's Hold as plain data.
func (k *Kernel) holdReport(r *Region) HoldReport {
	h := r.Hold
	out := HoldReport{Kind: h.Kind, Position: r.Func.File.Position(h.At.Start), Arrays: names(h.Arrays)}
	if h.Callee != nil {
		out.Function = h.Callee.View.Name
	}
	out.Text = h.text(diag.AndList(out.Arrays), out.Function)
	return out
}

// text is the reason in words; arrays and function are the names that it needs.
func (h Hold) text(arrays, function string) string {
	switch h.Kind {
	case HoldValues:
		return fmt.Sprintf("values that the region stored before in %s may be read here", arrays)
	case HoldEntry:
		return fmt.Sprintf("values in %s from before this statement may be read here", arrays)
	case HoldCarried:
		return fmt.Sprintf("an iteration of this loop may read what an earlier one left in %s", arrays)
	case HoldControl:
		return fmt.Sprintf("the control here is %s, and v-TBs need not come to a region inside equally often", h.Level)
	case HoldHead:
		return fmt.Sprintf("this loop's head or condition uses %s", arrays)
	case HoldJump:
		return "this jump would leave a region inside"
	case HoldCall:
		return fmt.Sprintf("the region is all or nearly all of %s, which is called here, or can't be cut there", function)
	case HoldMacro:
		return "a macro makes this statement, and its parts can't be told apart in the text"
	case HoldGaveUp:
		return "the loops here have too many iterations to look at one by one"
	}
	return "it is a single statement"
}
