package motion

import (
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/footprint"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/pointers"
	"github.com/smux-cuda/smux/analysis/uniformity"
)

// Late is a statement at the end of a region that can run after it, once the shared
// elements that it reads are in registers: an assignment, or an if around one.
type Late struct {
	Stmt  *ir.Stmt
	Cond  *ir.Expr // of the if, nil for none; it has the same value at both places
	Reads []LastRead

	// Loop is the statement if it is a counted loop around an assignment: each read takes Count
	// registers, the one of each iteration found by the counter divided by Step. Rolled is set
	// if it stands under no #pragma unroll, and needs one.
	Loop    *ir.Stmt
	Counter *ir.Var
	Count   int
	Step    int
	Rolled  bool
}

// LastRead is a shared element that is read, and its type.
type LastRead struct {
	Expr *ir.Expr
	Type string
}

// LateStatements returns the statements at the end of a region, after its last store to shared memory, that can run
// when the region is over. The first of them loads from global memory: for that no other virtual thread block should
// wait. Where all are asked for, it need not, and loops count, too.
//
// They use shared memory in nothing but reads of single elements, by subscripts in registers, that are made whatever
// else the statement does; and no statement sets what a subscript or condition of a later one is made of, since all
// the reads come first then. What a thread does to global memory keeps its order: the statements stay in theirs, with
// no barrier, fence, atomic or volatile access among them.
func LateStatements(k *analysis.Kernel, r *analysis.Region, all bool) []Late {
	if r.Func != k.Func || r.List.Op != ir.StmtCompound || r.List.Macro {
		return nil
	}
	var out []Late
	for _, s := range slices.Backward(r.Stmts[1:]) {
		l, ok := late(k, s, all)
		if !ok || slices.ContainsFunc(out, func(o Late) bool { return sets(l.Stmt, o) }) {
			break
		}
		out = append(out, l)
	}
	slices.Reverse(out)
	for !all && len(out) > 0 && !waits(k, out[0].Stmt) {
		out = out[1:]
	}
	return out
}

// late looks at one statement.
func late(k *analysis.Kernel, s *ir.Stmt, loops bool) (Late, bool) {
	l := Late{Stmt: s}
	if s.Op == ir.StmtFor && loops {
		if !lateLoop(k, s, &l) {
			return l, false
		}
		s = only(s.Body)
	}
	if s.Op == ir.StmtIf && s.Else == nil && splittable(k, s) && len(analysis.Statements(s.Body)) == 1 {
		l.Cond, s = s.Cond, analysis.Statements(s.Body)[0]
	}
	if s.Macro || s.Op != ir.StmtExpr || s.Expr.Op != ir.OpAssign || s.Expr.Macro {
		return l, false
	}
	to, from := s.Expr.Kids[0], s.Expr.Kids[1]
	if pointers.Touches(k, k.Func, to) || !k.IsPure(k.Func, to) || !k.IsPure(k.Func, from) {
		return l, false
	}
	fine := true
	var inside []ir.Range
	uniformity.Conditionally(from, nil, func(e *ir.Expr, under []*ir.Expr) {
		if slices.ContainsFunc(inside, func(r ir.Range) bool { return r.Contains(e.Range) }) || !pointers.Touches(k, k.Func, e) {
			return
		}
		if (e.Op == ir.OpAddr || e.Op == ir.OpDeref || e.Op == ir.OpCast && (e.Type.Ptr > 0 || e.Type.Ref)) && pointers.Touches(k, k.Func, e) {
			fine = false // where the element is counts, and not just its value
			return
		}
		if typ := readType(k, e); typ != "" {
			steady := true
			for i := e; i.Op == ir.OpIndex; i = i.Kids[0] {
				steady = steady && isSteady(k, i.Kids[1]) && !callsIn(i.Kids[1])
			}
			fine = fine && steady && len(under) == 0 && !e.Macro
			if size := k.Prog.SizeOf(k.Func, ir.Type{Base: typ}); l.Loop != nil && (size == 0 || size*l.Count > maxSplitBytes) {
				fine = false
			}
			l.Reads = append(l.Reads, LastRead{e, typ})
			inside = append(inside, e.Range)
			return
		}
		fine = fine && pointers.TouchedHere(k, k.Func, e) == 0 // a pointer, or an array as a whole
	})
	return l, fine && (l.Loop == nil || !sets(s, l)) // all iterations' reads come first, too
}

// lateLoop finds how a loop counts, whose body is a single statement.
func lateLoop(k *analysis.Kernel, s *ir.Stmt, l *Late) bool {
	unroll, ok := unrolled(k, s)
	if s.Macro || s.Body.Macro || !ok {
		return false
	}
	for i, in := range k.Instances {
		v, count, step := regular(footprint.New(k, evaluate.FrameUnder(in, k, k.Func)), s)
		if count == 0 || i > 0 && (v != l.Counter || count != l.Count || step != l.Step) {
			return false
		}
		l.Counter, l.Count, l.Step = v, count, step
	}
	l.Loop, l.Rolled = s, !unroll
	return l.Count > 0
}

// readType is the type of the shared element or scalar that e names directly, "" if that is not certain.
func readType(k *analysis.Kernel, e *ir.Expr) string {
	if s := k.NamedShared(k.Func, e); e.Op == ir.OpIdent && s != nil {
		if v := k.Variable(k.Func, e); v != nil && len(v.Dims) == 0 && v.Type.Ptr == 0 && !v.Type.Ref && !s.Dynamic && plain(k, v.Type.Base) {
			return v.Type.Base
		}
		return ""
	}
	return elementType(k, e)
}

func callsIn(e *ir.Expr) bool {
	return e.Any(func(t *ir.Expr) bool { return t.Op == ir.OpCall })
}

// waits reports whether a late statement loads what is not in shared memory.
func waits(k *analysis.Kernel, s *ir.Stmt) bool {
	found := false
	s.WalkExprs(func(e *ir.Expr) bool {
		if e.Op == ir.OpAssign {
			loads := loadsGlobalBeside(k, e.Kids[1])
			found = found || loads || e.Tok != "=" && loadsGlobalBeside(k, e.Kids[0])
			for i := e.Kids[0]; i.Op == ir.OpIndex; i = i.Kids[0] {
				found = found || loadsGlobalBeside(k, i.Kids[1])
			}
		}
		return !found
	})
	return found
}

// loadsGlobalBeside reports whether e loads from global memory, whatever it reads of shared memory.
func loadsGlobalBeside(k *analysis.Kernel, e *ir.Expr) bool {
	if elementType(k, e) != "" && pointers.Touches(k, k.Func, e) {
		return false
	}
	if e.Op == ir.OpIndex || e.Op == ir.OpDeref || e.Op == ir.OpCall {
		return loadsGlobal(e)
	}
	return slices.ContainsFunc(e.Kids, func(e *ir.Expr) bool { return loadsGlobalBeside(k, e) })
}

// sets reports whether a statement sets a variable that a later one's condition or
// subscripts of shared elements are made of.
func sets(s *ir.Stmt, later Late) bool {
	set := map[*ir.Var]bool{}
	for e := range s.AllExprs() {
		if e.Op == ir.OpAssign || e.Op == ir.OpIncDec {
			if r := e.Kids[0].Root(); r != nil && r.Var != nil {
				set[r.Var] = true
			}
		}
	}
	found := false
	look := func(e *ir.Expr) {
		e.Walk(func(t *ir.Expr) bool {
			found = found || t.Op == ir.OpIdent && set[t.Var]
			return !found
		})
	}
	if later.Cond != nil {
		look(later.Cond)
	}
	for _, r := range later.Reads {
		look(r.Expr)
	}
	return found
}
