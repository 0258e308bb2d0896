package motion

import (
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/barriers"
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/footprint"
	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/ir/effect"
	"github.com/smux-cuda/smux/analysis/liveness"
	"github.com/smux-cuda/smux/analysis/uniformity"
)

// Known is an element of a shared array whose value a thread knows: it stored it there itself,
// and no other thread uses that element.
type Known struct {
	Element *ir.Expr
	Value   *ir.Expr // the name of the variable that was stored
}

// EarlyLoads returns the loads of a region from global memory that can be made before it although they stand after
// other uses of shared memory: as splits without a store. Each is of what nothing changes while the kernel runs, at
// an address that is known before the region; and the thread makes it for certain once it is in the region, or under
// a condition that is known before. So nothing is loaded that was not loaded before.
//
// They stand in expressions of the region's own statements, of the branches of an if, and of loops: of a counted loop
// with a constant number of trips each iteration's; of another the ones that are the same in all, under the loop's
// condition for the first. A declaration whose value is made of such loads moves as a whole.
func EarlyLoads(k *analysis.Kernel, r *analysis.Region) []Split {
	if r.Func != k.Func || r.Returns || r.List.Op != ir.StmtCompound || r.List.Macro {
		return nil
	}
	x := &earlyLoads{Kernel: k, region: r, run: ir.Range{Start: r.Start(), End: r.End()}, moved: map[*ir.Var]bool{}}
	for i, s := range r.Stmts {
		x.before, x.at = r.Stmts[:i], s
		x.statement(s, Split{Stmt: s})
		if !x.goesOn(s) {
			break
		}
	}
	return x.found
}

// earlyLoads finds the early loads of a region.
type earlyLoads struct {
	*analysis.Kernel
	region *analysis.Region
	run    ir.Range
	before []*ir.Stmt       // the region's statements before the one that is looked at
	at     *ir.Stmt         // that one
	moved  map[*ir.Var]bool // declared by what moves, and not changed in the region
	known  []Known          // of the expression that is looked at
	found  []Split
}

// goesOn reports whether a thread that comes to a statement of the region is sure to come to the next, if it ends.
func (x *earlyLoads) goesOn(s *ir.Stmt) bool {
	if s.Op == ir.StmtExpr && !s.Macro && s.Expr.Op == ir.OpCall && barriers.IsBarrier(x.Kernel, x.Func, s.Expr) {
		return true
	}
	return quiet(x.Kernel, s)
}

// statement looks at a statement, around which a split says what is known of it.
func (x *earlyLoads) statement(s *ir.Stmt, around Split) {
	if s.Macro {
		return
	}
	switch s.Op {
	case ir.StmtDecl:
		if s.Parent == x.region.List && x.declaration(s) {
			return
		}
		for _, v := range s.Vars {
			if v.Init != nil && !v.Macro && !v.Type.Ref && !v.Static {
				x.loads(v.Init, around)
			}
		}
	case ir.StmtExpr:
		x.loads(s.Expr, around)
	case ir.StmtIf:
		if s.Parent == x.region.List && splittable(x.Kernel, s) && x.stays(s.Cond, nil) {
			around.Cond = s.Cond
			x.statements(s.Body, around)
			around.Negated = true
			x.statements(s.Else, around)
		}
	case ir.StmtFor:
		if s.Parent == x.region.List && !s.LeavesEarly() {
			x.loop(s, around)
		}
	}
}

// statements looks at those of a body that are sure to run once its first one does.
func (x *earlyLoads) statements(body *ir.Stmt, around Split) {
	if body == nil || body.Macro {
		return
	}
	for _, s := range analysis.Statements(body) {
		if s.Op != ir.StmtDecl && s.Op != ir.StmtExpr {
			return
		}
		x.statement(s, around)
		if !x.goesOn(s) {
			return
		}
	}
}

// loop looks at the body of a loop.
func (x *earlyLoads) loop(s *ir.Stmt, around Split) {
	unroll, plain := unrolled(x.Kernel, s)
	for i, in := range x.Instances {
		v, count, step := regular(footprint.New(x.Kernel, evaluate.FrameUnder(in, x.Kernel, x.Func)), s)
		if i > 0 && (v != around.Counter || count != around.Count || step != around.Step) {
			return
		}
		around.Counter, around.Count, around.Trips, around.Step = v, count, count, step
	}
	switch {
	case around.Count > 0 && plain:
		around.Loop, around.Rolled = s, !unroll
	case around.Count == 0 && x.entered(s):
		around.First = s
	default:
		return
	}
	x.statements(s.Body, around)
}

// entered reports whether the condition of a loop for its first iteration can be written before
// the region: a comparison of its one counter.
func (x *earlyLoads) entered(s *ir.Stmt) bool {
	if s.Init == nil || s.Init.Op != ir.StmtDecl || len(s.Init.Vars) != 1 || s.Cond == nil || s.Cond.Op != ir.OpBinary || s.Cond.Macro {
		return false
	}
	v := s.Init.Vars[0]
	if v.Init == nil || v.Type.Ptr > 0 || v.Type.Ref || !analysis.IsArithmetic(v.Type.Base) || !slices.Contains([]string{"<", "<=", ">", ">=", "!="}, s.Cond.Tok) {
		return false
	}
	left := s.Cond.Kids[0]
	return left.Op == ir.OpIdent && left.Var == v && x.stays(s.Cond.Kids[1], nil) && x.stays(v.Init, nil)
}

// declaration looks at the declaration of one value that moves as a whole.
func (x *earlyLoads) declaration(s *ir.Stmt) bool {
	x.known = nil
	sp, ok := declares(x.Kernel, s)
	if !ok || !x.holds(sp.Load, nil) || !sp.Load.Any(x.isLoad) {
		return false
	}
	sp.Known, sp.ReadOnly = x.known, true
	x.found = append(x.found, sp)
	if !slices.ContainsFunc(sp.Decl.Writes, func(w *ir.Expr) bool { return x.run.Contains(w.Range) }) && !sp.Decl.AddrTaken {
		x.moved[sp.Decl] = true
	}
	return true
}

// loads finds loads among what evaluating an expression is sure to evaluate.
func (x *earlyLoads) loads(e *ir.Expr, around Split) {
	if e.Macro || effect.IsOpaque(e.Op) {
		return
	}
	kids := e.Kids
	switch e.Op {
	case ir.OpIndex:
		if x.known = nil; x.isLoad(e) && x.holds(e, around.Counter) && x.add(e, around) {
			return
		}
	case ir.OpAddr, ir.OpSizeof:
		return
	case ir.OpCond:
		kids = kids[:1]
	case ir.OpBinary:
		if e.Tok == "&&" || e.Tok == "||" || e.Tok == "and" || e.Tok == "or" {
			kids = kids[:1]
		}
	case ir.OpCall:
		if !x.IsPureCall(x.Func, e) {
			return // a reference may be bound to an argument
		}
	}
	for _, kid := range kids {
		x.loads(kid, around)
	}
}

// add adds a load; of a loop only what its iterations have in common needs no array.
func (x *earlyLoads) add(load *ir.Expr, sp Split) bool {
	counts := sp.Counter != nil && load.Any(func(t *ir.Expr) bool { return t.Op == ir.OpIdent && t.Var == sp.Counter })
	size := x.Prog.SizeOf(x.Func, ir.Type{Base: load.Root().Var.Type.Base})
	switch {
	case !counts:
		sp.Loop, sp.Counter, sp.Count, sp.Trips, sp.Step, sp.Rolled = nil, nil, 0, 0, 0, false
	case sp.Count*size > maxSplitBytes || sp.Cond != nil:
		return false
	}
	sp.Load, sp.Type, sp.ReadOnly, sp.Known = load, load.Root().Var.Type.Base, true, x.known
	x.found = append(x.found, sp)
	return true
}

// isLoad reports whether an expression is an element of what a parameter points to that nobody changes.
func (x *earlyLoads) isLoad(e *ir.Expr) bool {
	if e.Op != ir.OpIndex {
		return false
	}
	p := e.Kids[0]
	if p.Op != ir.OpIdent || p.Var == nil || p.Var.Kind != ir.VarParam || p.Var.Type.Volatile {
		return false
	}
	return uniformity.Unchanging(x.Kernel, x.Func, p.Var) && plain(x.Kernel, p.Var.Type.Base)
}

// stays reports whether an expression without loads has the same value before the region.
func (x *earlyLoads) stays(e *ir.Expr, counter *ir.Var) bool {
	return !e.Any(func(t *ir.Expr) bool { return t.Op == ir.OpIndex }) && x.holds(e, counter)
}

// holds reports whether an expression, of which a counter may be part, can be evaluated before the region: it is made
// of numbers, of variables that nothing in the region changes, of loads, and of elements whose value is known.
func (x *earlyLoads) holds(e *ir.Expr, counter *ir.Var) bool {
	switch e.Op {
	case ir.OpInt, ir.OpLiteral:
		return !e.Macro || e.Op == ir.OpInt
	case ir.OpIdent:
		if e.Var != nil && (e.Var == counter || x.moved[e.Var]) {
			return true
		}
		return keepsName(x.Kernel, e, &Delay{Top: &ir.Stmt{}}, x.run)
	case ir.OpMember:
		base := e.Kids[0]
		return base.Op == ir.OpIdent && base.Var == nil && slices.Contains(intrinsic.Merged, base.Name) && x.Prog.Global(x.File, base.Name) == nil
	case ir.OpIndex:
		if x.isLoad(e) {
			return x.holds(e.Kids[1], counter)
		}
		return x.knows(e)
	case ir.OpCast:
		if !analysis.IsArithmetic(e.Type.Base) || e.Type.Ptr > 0 || e.Type.Ref {
			return false
		}
	case ir.OpCall:
		if !x.IsPureCall(x.Func, e) || e.Kids[0].Op != ir.OpIdent {
			return false
		}
		return !slices.ContainsFunc(e.Args(), func(a *ir.Expr) bool { return !x.holds(a, counter) })
	case ir.OpUnary, ir.OpBinary, ir.OpCond:
	default:
		return false
	}
	return !slices.ContainsFunc(e.Kids, func(kid *ir.Expr) bool { return !x.holds(kid, counter) })
}

// knows reports whether the value of a shared element is known: a statement of the region stored
// a variable there, and after it nothing was stored in the array.
func (x *earlyLoads) knows(e *ir.Expr) bool {
	s := x.NamedShared(x.Func, e.Kids[0])
	if s == nil || e.Macro || len(s.Var.Dims) != 1 || !liveness.OwnElements(x.Kernel, s, 0) {
		return false
	}
	stores := func(b *ir.Stmt) bool {
		return b.AnyExpr(func(t *ir.Expr) bool {
			if t.Op != ir.OpAssign && t.Op != ir.OpIncDec {
				return false
			}
			root := t.Kids[0].Root()
			return root != nil && x.NamedShared(x.Func, root) == s
		})
	}
	if stores(x.at) {
		return false
	}
	for _, b := range slices.Backward(x.before) {
		if !stores(b) {
			continue
		}
		a := b.Expr
		if b.Op != ir.StmtExpr || b.Macro || a.Op != ir.OpAssign || a.Tok != "=" || a.Macro {
			return false
		}
		value := a.Kids[1]
		if value.Op != ir.OpIdent || value.Var == nil || value.Var.Type.Base != s.Var.Type.Base || !keepsName(x.Kernel, value, &Delay{Top: &ir.Stmt{}}, x.run) {
			return false
		}
		x.known = append(x.known, Known{Element: e, Value: value})
		return true
	}
	return false
}
