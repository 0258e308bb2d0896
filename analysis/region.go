package analysis

import (
	"fmt"

	"github.com/smux-cuda/smux/analysis/ir"
)

// Region is a run of consecutive statements of one list in which shared variables are live, and at whose end nothing
// in them is. Virtual thread blocks must take turns in it.
type Region struct {
	Func *ir.Func // whose statements it is: the kernel, or a device function
	// Call is the statement of the kernel whose call leads to that function, nil in the kernel itself.
	Call *ir.Stmt

	List   *ir.Stmt   // the compound, or the statement whose body the run is
	Stmts  []*ir.Stmt // the run
	Loops  int        // how many loops enclose it
	Arrays []*Shared  // variables touched in it
	First  ir.Range   // first access
	Last   ir.Range   // last access

	Barriers int  // thread-block barriers inside, those of called functions included
	Returns  bool // a thread may leave the kernel inside

	// Live names the variables that hold values at some point inside the run
	// between two of its statements: what keeps it from being cut there.
	Live []*Shared
	Hold Hold // why it is not smaller
}

// Start and End are the byte range of the run in the original file.
func (r *Region) Start() int { return r.Stmts[0].Outer.Start }

// End is the offset after the last statement of the run.
func (r *Region) End() int { return r.Stmts[len(r.Stmts)-1].Range.End }

// JumpOut returns a break or continue inside the region that leaves it, nil if there is none.
func (r *Region) JumpOut() (out *ir.Stmt) {
	for _, s := range r.Stmts {
		s.Walk(func(t *ir.Stmt) bool {
			if t.Op == ir.StmtBreak || t.Op == ir.StmtContinue {
				target := t.JumpTarget()
				inside := false
				for _, o := range r.Stmts {
					inside = inside || target != nil && target.Inside(o)
				}
				if !inside && out == nil {
					out = t
				}
			}
			return out == nil
		})
	}
	return out
}

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

// Text is the reason in words; arrays and function are the names that it needs.
func (h Hold) Text(arrays, function string) string {
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

// Uniformity says how far a value is the same: for all threads of the grid, for all threads of one block, or not at
// all. It doubles as that of control: a statement runs for the whole grid, for whole blocks, or for single threads.
type Uniformity uint8

// The uniformities, ordered: the join of two is the larger.
const (
	GridUniform Uniformity = iota
	BlockUniform
	ThreadVarying
)

// String returns the uniformity as reports spell it.
func (l Uniformity) String() string {
	return [...]string{"grid-uniform", "block-uniform", "thread-varying"}[l]
}

// Variable returns the variable that a name in a function stands for, nil where it is none.
func (k *Kernel) Variable(fn *ir.Func, e *ir.Expr) *ir.Var {
	if e.Var != nil {
		return e.Var
	}
	return k.Prog.GlobalIn(fn, e.Name)
}
