package stage

import (
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/barriers"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/uniformity"
	"github.com/smux-cuda/smux/rewrite/kit"
)

// copyPlace is a place where the threads of a block copy elements together: before a statement,
// or in the loop that is cut.
type copyPlace struct {
	stmt   *ir.Stmt
	cut    *countedLoop // stmt's own, nil where the copy is made before it
	inLoop bool         // the copy is made more than once
	arrays []*stagedArray
	// flags hold what keeps threads from the place now: each becomes a variable, and the
	// threads that it is false for come along and do nothing but copy.
	flags []placeFlag
	kept  []keptStmt // what these threads must not do, in source order
}

// placeFlag is "if (c) return;" or "if (c) {…}" around a place.
type placeFlag struct {
	stmt    *ir.Stmt
	returns bool
	outer   int // the flag that holds outside, -1 for none
}

// keptStmt is a statement that stays with the threads of a flag.
type keptStmt struct {
	stmt *ir.Stmt
	flag int
}

// placeOf finds the place for an array: before the outermost statement of the kernel that
// holds its loads, or, where the tile depends on loops, in the innermost of these.
func (f *indexForms) placeOf(a *stagedArray) (p *copyPlace, why string) {
	p = &copyPlace{arrays: []*stagedArray{a}}
	l := a.model
	if a.own {
		l = slices.MinFunc(a.loads, func(x, y *stagedLoad) int { return x.whole.Range.Start - y.whole.Range.Start })
	}
	var within *countedLoop // of which each iteration has a tile of its own
	moving := f.moving(l)
	for _, loop := range l.loops {
		if loop != a.cut && !slices.Contains(moving, loop) && a.base.Has(f.isCounter(loop)) {
			within = loop
		}
	}
	if a.cut != nil {
		p.stmt, p.cut = a.cut.stmt, a.cut
	} else {
		p.stmt = l.stmt
		for q := l.stmt; q.Parent != nil; q = q.Parent {
			if within != nil && q == within.stmt.Body {
				break
			}
			p.stmt = q
			if q.Parent.Op == ir.StmtCompound && q.Parent == f.k.Func.Body {
				break
			}
		}
		if within != nil && (within.stmt.Body.Op != ir.StmtCompound || p.stmt == within.stmt.Body) {
			return nil, "the loop's body has no braces to put a copy in"
		}
		p.stmt = f.beforeReturns(p.stmt)
	}
	for _, o := range a.loads {
		if !o.stmt.Inside(p.stmt) && !standsBehind(o.stmt, p.stmt) {
			return nil, "its loads stand in different loops"
		}
	}
	p.inLoop = p.cut != nil || within != nil
	if why := f.clear(p); why != "" {
		return nil, why
	}
	if why := f.forAll(p); why != "" {
		return nil, why
	}
	if slices.ContainsFunc(p.flags, func(f placeFlag) bool { return f.returns }) && f.inWarps() {
		return nil, "threads of a warp exchange values after a return"
	}
	if f.waits() {
		return nil, "a loop waits for another thread of the block"
	}
	for _, o := range a.loads {
		for _, loop := range o.loops {
			if loop.trips() == 0 && loop != a.cut && !p.stmt.Inside(loop.stmt.Body) {
				return nil, "a loop around the load may run not once"
			}
		}
	}
	return p, ""
}

// standsBehind reports whether a statement stands after another, in the same list or below it.
func standsBehind(s, first *ir.Stmt) bool {
	for q := s; q != nil; q = q.Parent {
		if q.Parent == first.Parent && q.Parent != nil && q.Parent.Op == ir.StmtCompound {
			return q.Range.Start >= first.Range.Start
		}
	}
	return false
}

// beforeReturns is the first statement of a list from which on threads may have left: a copy before it needs no flag.
func (f *indexForms) beforeReturns(s *ir.Stmt) *ir.Stmt {
	if s.Parent == nil || s.Parent != f.k.Func.Body {
		return s
	}
	for _, t := range s.Parent.List {
		if t == s {
			break
		}
		if c, ok := jumpUnder(t); !ok || c != nil && uniformity.Of(f.k, f.k.Func, c) == analysis.ThreadVarying {
			return t
		}
	}
	return s
}

// clear finds what keeps threads of a block from a place, and whether it can be taken away.
func (f *indexForms) clear(p *copyPlace) (why string) {
	k := f.k
	var path []*ir.Stmt // from the body down to the place
	for s := p.stmt; s != nil; s = s.Parent {
		path = append(path, s)
	}
	slices.Reverse(path)
	varies := func(e *ir.Expr) bool { return uniformity.Of(k, k.Func, e) == analysis.ThreadVarying }
	flag := -1
	add := func(s *ir.Stmt, returns bool) {
		p.flags = append(p.flags, placeFlag{s, returns, flag})
		flag = len(p.flags) - 1
	}
	for i, s := range path[:len(path)-1] {
		next := path[i+1]
		switch s.Op {
		case ir.StmtCompound:
			for _, t := range s.List {
				if t == next {
					break
				}
				c, ok := jumpUnder(t)
				switch {
				case !ok:
					return "a statement before it may leave the kernel"
				case c != nil && varies(c) && s != k.Func.Body:
					return "threads leave from inside a block before it"
				case c != nil && varies(c):
					if t.Macro || !startsLine(f.k, t) {
						return "the condition before it can't be taken apart"
					}
					add(t, true)
				case flag >= 0:
					if why := f.keep(p, t, flag); why != "" {
						return why
					}
				}
			}
			if flag < 0 {
				continue
			}
			after := false
			for _, t := range s.List {
				if after {
					if why := f.keep(p, t, flag); why != "" {
						return why
					}
				}
				after = after || t == next
			}
		case ir.StmtIf:
			if !varies(s.Cond) {
				continue
			}
			if s.Else != nil || s.Init != nil || s.Macro || s.Body.Op != ir.StmtCompound || s.Body != next || !startsLine(f.k, s) {
				return "the condition around it can't be taken apart"
			}
			add(s, false)
		case ir.StmtFor:
			if varies(s.Cond) || s.LeavesEarly() || s.Any(func(t *ir.Stmt) bool { return t.Op == ir.StmtContinue && t.JumpTarget() == s }) {
				return "threads run the loop around it differently often"
			}
		default:
			return "a statement around it is neither a loop nor a condition"
		}
	}
	last := p.stmt
	if p.cut != nil {
		if varies(p.cut.stmt.Cond) {
			return "threads run the loop differently often"
		}
		if barriers.BarrierIn(k, k.Func, last) {
			return "the loop holds a barrier"
		}
		return ""
	}
	if flag >= 0 {
		return f.keep(p, last, flag)
	}
	return ""
}

// forAll says why threads that come along can't run the loops and conditions around a place, ""
// where they can: what these compare must have its value for all threads, and be no memory that
// nobody reads where all of a block come along.
func (f *indexForms) forAll(p *copyPlace) (why string) {
	if len(p.flags) == 0 {
		return ""
	}
	var heads []*ir.Expr
	if p.cut != nil {
		heads = append(heads, p.cut.low, p.cut.high)
	}
	for s := p.stmt.Parent; s != nil; s = s.Parent {
		flag := slices.ContainsFunc(p.flags, func(f placeFlag) bool { return f.stmt == s })
		if (s.Op == ir.StmtFor || s.Op == ir.StmtIf) && !flag {
			heads = append(heads, s.Cond, s.Post)
			if s.Init != nil {
				s.Init.Exprs(func(e *ir.Expr) { heads = append(heads, e) })
			}
		}
	}
	for _, e := range heads {
		if e == nil {
			continue
		}
		if f.mayDivideByZero(e) {
			return "a loop or condition around it divides by a number that may be 0"
		}
		var name string
		if e.Any(func(t *ir.Expr) bool {
			if t.Op == ir.OpIdent && t.Var != nil && p.givesTo(t.Var) {
				name = t.Var.Name
			}
			return name != "" || t.Op == ir.OpIndex || t.Op == ir.OpDeref || t.Op == ir.OpMember && t.Arrow || t.Op == ir.OpCall && !f.k.IsPureCall(f.k.Func, t)
		}) {
			if name != "" {
				return name + " has its value for some threads alone"
			}
			return "a loop or condition around it reads memory"
		}
	}
	return ""
}

// givesTo reports whether a statement that stays with the threads of a flag gives a variable its
// value, or one that its initialiser names.
func (p *copyPlace) givesTo(v *ir.Var) bool {
	if v.Init != nil && v.Kind == ir.VarLocal && v.Init.Any(func(e *ir.Expr) bool { return e.Op == ir.OpIdent && e.Var != nil && e.Var != v && p.givesTo(e.Var) }) {
		return true
	}
	return slices.ContainsFunc(p.kept, func(k keptStmt) bool {
		if k.stmt.Op == ir.StmtDecl && slices.Contains(k.stmt.Vars, v) {
			return true
		}
		return k.stmt.AnyExpr(func(e *ir.Expr) bool {
			return (e.Op == ir.OpAssign || e.Op == ir.OpIncDec) && e.Kids[0].Op == ir.OpIdent && e.Kids[0].Var == v
		})
	})
}

// keep has a statement stay with the threads of a flag.
func (f *indexForms) keep(p *copyPlace, s *ir.Stmt, flag int) (why string) {
	switch s.Op {
	case ir.StmtEmpty:
		return ""
	case ir.StmtLabel, ir.StmtCase, ir.StmtUnknown:
		return "a label stands beside it"
	}
	if s.Macro || !startsLine(f.k, s) && s.Op != ir.StmtDecl {
		return "a statement beside it is part of a line"
	}
	if s.Any(func(t *ir.Stmt) bool { return t.Op == ir.StmtReturn || t.Op == ir.StmtGoto }) {
		return "a statement beside it may leave the kernel"
	}
	if barriers.BarrierIn(f.k, f.k.Func, s) {
		return "a barrier stands under the same condition"
	}
	if s.Op != ir.StmtDecl {
		p.kept = append(p.kept, keptStmt{s, flag})
		return ""
	}
	if !slices.ContainsFunc(s.Vars, func(v *ir.Var) bool { return v.Init != nil && (!f.harmless(v.Init) || f.mayDivideByZero(v.Init)) }) {
		return ""
	}
	v := s.Vars[0]
	plain := analysis.IsArithmetic(v.Type.Base) || analysis.IsVector(v.Type.Base)
	if len(s.Vars) != 1 || v.Kind == ir.VarShared || v.Static || v.Type.Ref || v.Type.IsAuto() || v.Type.Ptr > 0 || len(v.Dims) > 0 || !plain || v.Init.Op == ir.OpInitList || kit.TopLevelEquals(kit.Text(f.k.File, v.Range)) < 0 {
		return "a declaration beside it can't be taken apart"
	}
	p.kept = append(p.kept, keptStmt{s, flag})
	return ""
}

// harmless reports whether any thread may compute an expression: it changes nothing, accesses no memory, and calls
// nothing but functions of its arguments.
func (f *indexForms) harmless(e *ir.Expr) bool {
	return f.k.IsPure(f.k.Func, e) && f.k.Effect(f.k.Func, e).Droppable()
}

// mayDivideByZero reports whether an expression divides by what is 0 perhaps where the threads that come along
// compute it: what they are told apart by may be that.
func (f *indexForms) mayDivideByZero(e *ir.Expr) bool {
	return e.Any(func(t *ir.Expr) bool {
		if t.Op != ir.OpBinary || t.Tok != "/" && t.Tok != "%" {
			return false
		}
		n, ok := f.constant(t.Kids[1])
		return !(ok && n != 0) && !t.Kids[1].Any(func(d *ir.Expr) bool {
			return d.Op == ir.OpLiteral || d.Op == ir.OpIdent && d.Var != nil && (d.Var.Type.Base == "float" || d.Var.Type.Base == "double")
		})
	})
}

func startsLine(k *analysis.Kernel, s *ir.Stmt) bool { return kit.FirstOnLine(k.File, s.Outer.Start) }
