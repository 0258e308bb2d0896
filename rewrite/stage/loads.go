package stage

import (
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/barriers"
	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/ir/effect"
	"github.com/smux-cuda/smux/analysis/polynomial"
	"github.com/smux-cuda/smux/analysis/uniformity"
)

// stagedLoad is a load of the kernel's own body, a[subscript], *(a + subscript), or __ldg of the address of either.
type stagedLoad struct {
	v         *ir.Var
	whole     *ir.Expr // what is replaced
	subscript *ir.Expr
	stmt      *ir.Stmt
	form      polynomial.Polynomial
	loops     []*countedLoop // around it, outermost first
	conds     []condition    // under which it runs, as far as they are not those of the loops
	// offsets are, for each axis of the array, the number that is added to the threadIdx
	// and the counters of that axis.
	offsets []int64
	along   [][]*countedLoop // the loops whose counters these are
	// choices are those of one alternative of a subscript that chooses, which are loads of one
	// expression; chosen are the forms of what they take.
	choices []choice
	chosen  map[*ir.Expr]polynomial.Polynomial
	// places are, for a load of a clamped subscript, the forms of what its text chooses by.
	places []polynomial.Polynomial
	args   []polynomial.Polynomial // of a load that is a call
}

// condition is an expression that is true, or false, where a statement runs.
type condition struct {
	e     *ir.Expr
	holds bool
}

// loadsOf finds the loads of arrays of global memory by variable. Loads whose subscript has no
// form, or that stand in a macro or in a loop that is not counted, are left as they are.
func (f *indexForms) loadsOf() map[*ir.Var][]*stagedLoad {
	k, loops := f.k, f.countedLoops()
	out := map[*ir.Var][]*stagedLoad{}
	for s := range k.Func.Body.All() {
		s.Exprs(func(top *ir.Expr) {
			visitUnder(top, nil, func(e *ir.Expr, under []condition) bool {
				l := loadAt(e)
				if l == nil {
					l = f.loadThrough(e)
				}
				if l == nil {
					l = f.loadByCall(e)
				}
				if l == nil {
					return true
				}
				if isTarget(top, e) || f.isReferredTo(top, e) {
					return e.Op != ir.OpCall
				}
				l.stmt, l.conds = s, slices.Clone(under)
				f.inForce(l, func() { l.form = f.of(l.subscript) })
				switch {
				case !f.surround(l, loops):
				case l.form.IsLost():
					ways := f.alternatives(l)
					if own := *l; f.opaque(&own) {
						ways = append(ways, &own)
					}
					out[l.v] = append(out[l.v], ways...)
				default:
					out[l.v] = append(out[l.v], l)
				}
				return e.Op != ir.OpCall
			})
		})
	}
	return out
}

// countedLoops are the counted loops of the kernel's own body, whose counters have symbols then.
func (f *indexForms) countedLoops() map[*ir.Stmt]*countedLoop {
	loops := map[*ir.Stmt]*countedLoop{}
	for s := range f.k.Func.Body.All() {
		if l := countedLoopOf(f.k, s); l != nil {
			loops[s] = l
			f.counter(l.v)
		} else if l := f.roundsOf(s); l != nil {
			loops[s] = l
			f.round(l)
		}
	}
	return loops
}

// loadAt is the load that an expression is, nil for any other.
func loadAt(e *ir.Expr) *stagedLoad {
	at := e
	if e.Op == ir.OpCall {
		args := e.Args()
		if !e.Calls("__ldg") || len(args) != 1 {
			return nil
		}
		if at = args[0]; at.Op == ir.OpAddr {
			at = at.Kids[0]
		} else {
			at = &ir.Expr{Op: ir.OpDeref, Kids: []*ir.Expr{at}, Macro: at.Macro}
		}
	}
	if e.Macro || at.Macro || len(at.Kids) == 0 {
		return nil
	}
	base, subscript := at.Kids[0], (*ir.Expr)(nil)
	switch {
	case at.Op == ir.OpIndex:
		subscript = at.Kids[1]
	case at.Op == ir.OpDeref && base.Op == ir.OpBinary && base.Tok == "+" && !base.Macro: // *(a + i)
		base, subscript = base.Kids[0], base.Kids[1]
	default:
		return nil
	}
	v := base.Var
	if base.Op != ir.OpIdent || base.Macro || v == nil || v.Kind != ir.VarParam || derefsToElement(v) != 1 {
		return nil
	}
	return &stagedLoad{v: v, whole: e, subscript: subscript}
}

// isTarget reports whether e is what an assignment, an increment or an & below top is about.
func isTarget(top, e *ir.Expr) bool {
	return top.Any(func(t *ir.Expr) bool {
		switch t.Op {
		case ir.OpAssign, ir.OpIncDec, ir.OpAddr:
			for q := t.Kids[0]; ; q = q.Kids[0] {
				if q == e {
					return true
				}
				if (q.Op != ir.OpMember || q.Arrow) && q.Op != ir.OpCast || len(q.Kids) == 0 {
					return false
				}
			}
		}
		return false
	})
}

// isReferredTo reports whether a function below top gets a reference to e, whose address it may keep.
func (f *indexForms) isReferredTo(top, e *ir.Expr) bool {
	return top.Any(func(call *ir.Expr) bool {
		for i, arg := range call.Args() {
			for arg.Op == ir.OpMember && !arg.Arrow || arg.Op == ir.OpCast && len(arg.Kids) == 1 {
				arg = arg.Kids[0]
			}
			if arg == e && f.k.MayBindReference(f.k.Func, call, i) {
				return true
			}
		}
		return false
	})
}

// visitUnder calls visit for an expression and all below it with what ?:, && and || around
// each say; visit returns false to skip what is below.
func visitUnder(e *ir.Expr, under []condition, visit func(*ir.Expr, []condition) bool) {
	if e == nil || !visit(e, under) {
		return
	}
	with := func(c *ir.Expr, holds bool) []condition { return append(slices.Clone(under), condition{c, holds}) }
	switch {
	case e.Op == ir.OpCond:
		visitUnder(e.Kids[0], under, visit)
		visitUnder(e.Kids[1], with(e.Kids[0], true), visit)
		visitUnder(e.Kids[2], with(e.Kids[0], false), visit)
	case e.Op == ir.OpBinary && (e.Tok == "&&" || e.Tok == "||"):
		visitUnder(e.Kids[0], under, visit)
		visitUnder(e.Kids[1], with(e.Kids[0], e.Tok == "&&"), visit)
	default:
		for _, kid := range append(slices.Clone(e.Kids), e.TArgs...) {
			visitUnder(kid, under, visit)
		}
	}
}

// surround finds the loops around a load, and the conditions under which its statement
// runs; it is false where control is of another form.
func (f *indexForms) surround(l *stagedLoad, loops map[*ir.Stmt]*countedLoop) bool {
	child := l.stmt
	if l.stmt.IsLoop() || l.stmt.Op == ir.StmtSwitch || l.stmt.Op == ir.StmtDo {
		return false // in a loop's head
	}
	if l.stmt.Op == ir.StmtDecl && l.stmt.Parent != nil && l.stmt.Parent.IsLoop() && l.stmt.Parent.Init == l.stmt {
		return false
	}
	for s := l.stmt.Parent; s != nil; child, s = s, s.Parent {
		switch s.Op {
		case ir.StmtCompound:
			for _, before := range s.List {
				if before == child {
					break
				}
				c, ok := jumpUnder(before)
				if !ok {
					return false
				}
				if c != nil {
					l.conds = append(l.conds, condition{c, false})
				}
			}
		case ir.StmtIf:
			if s.Preproc || s.Init != nil || s.Macro {
				return false
			}
			l.conds = append(l.conds, condition{s.Cond, child == s.Body})
		case ir.StmtFor:
			loop := loops[s]
			if loop == nil {
				return false
			}
			l.loops = append(l.loops, loop)
		default:
			return false
		}
	}
	slices.Reverse(l.loops)
	return true
}

// jumpUnder is the condition of "if (c) return;" or "if (c) continue;", nil for a statement that
// always goes on to the next; ok is false for any other.
func jumpUnder(s *ir.Stmt) (c *ir.Expr, ok bool) {
	jumps := func(t *ir.Stmt) bool {
		switch t.Op {
		case ir.StmtReturn, ir.StmtGoto, ir.StmtLabel, ir.StmtUnknown:
			return true
		case ir.StmtBreak, ir.StmtContinue:
			target := t.JumpTarget()
			return target == nil || !target.Inside(s)
		}
		return false
	}
	if !s.Any(jumps) {
		return nil, true
	}
	if s.Op != ir.StmtIf || s.Else != nil || s.Init != nil || s.Preproc || s.Macro {
		return nil, false
	}
	body := s.Body
	if body.Op == ir.StmtCompound && len(body.List) == 1 {
		body = body.List[0]
	}
	if body.Op == ir.StmtReturn && body.Expr == nil || body.Op == ir.StmtContinue {
		return s.Cond, true
	}
	return nil, false
}

// onlyRead reports whether the memory that a parameter points to stays as it is while the kernel runs: the
// parameter is const __restrict__, or the kernel writes through others alone, each __restrict__ or after all reads.
func onlyRead(k *analysis.Kernel, v *ir.Var) bool {
	if v.Type.Volatile || len(v.Writes) > 0 || v.AddrTaken {
		return false
	}
	return uniformity.Unchanging(k, k.Func, v) || writesElsewhere(k, v)
}

// writesElsewhere reports whether nothing that the kernel writes may be the memory of a variable.
func writesElsewhere(k *analysis.Kernel, v *ir.Var) bool { return writesElsewhereBut(k, v, nil) }

// writesElsewhereBut is writesElsewhere of all that the kernel writes but some targets.
func writesElsewhereBut(k *analysis.Kernel, v *ir.Var, but map[*ir.Expr]bool) bool {
	for _, fn := range slices.Concat(k.Functions, k.Implicit) {
		if fn.Body.AnyExpr(func(e *ir.Expr) bool {
			switch e.Op {
			case ir.OpAssign, ir.OpIncDec:
				return !but[e.Kids[0]] && !isElsewhere(k, fn, v, e.Kids[0])
			case ir.OpCall:
				if e.Intrinsic().IsAtomic() && len(e.Args()) > 0 && len(k.Callees(fn, e)) == 0 {
					return !isElsewhere(k, fn, v, pointee(e.Args()[0]))
				}
				return !k.ChangesNothing(fn, e) && !barriers.IsBarrier(k, fn, e) && len(k.Callees(fn, e)) == 0
			}
			return effect.IsOpaque(e.Op)
		}) {
			return false
		}
	}
	return true
}

// pointee returns what a pointer points to.
func pointee(p *ir.Expr) *ir.Expr {
	if p.Op == ir.OpAddr {
		return p.Kids[0]
	}
	return &ir.Expr{Op: ir.OpDeref, Kids: []*ir.Expr{p}, Range: p.Range}
}

// isElsewhere reports whether what is assigned to is a variable of the thread or of its
// block, or memory that a parameter of the kernel other than v points to.
func isElsewhere(k *analysis.Kernel, fn *ir.Func, v *ir.Var, target *ir.Expr) bool {
	r := target.Root()
	if r == nil || r.Var == nil || r.Var == v {
		return false
	}
	w := r.Var
	switch {
	case w.Type.Ref:
		return false
	case w.Kind == ir.VarShared:
		return target.Derefs() <= len(w.Dims)
	case w.Kind == ir.VarParam && r == target:
		return true
	case w.Kind == ir.VarParam && fn != k.Func && derefsToElement(w) == 1 && target.Derefs() == 1:
		return len(w.Writes) == 0 && !w.AddrTaken && isPassedElsewhere(k, fn, v, w, mostCalls)
	case w.Kind == ir.VarParam && fn != k.Func:
		return w.Type.Ptr == 0 && target.Derefs() == 0 // an array of a parameter is a pointer, too
	case w.Kind == ir.VarParam:
		if len(w.Writes) > 0 || w.AddrTaken || !isElement(target) {
			return false
		}
		return w.Type.Restrict || readsFirst(k, v, target)
	case w.Kind == ir.VarLocal:
		return w.Type.Ptr == 0 && !w.Type.IsAuto() && target.Derefs() <= len(w.Dims)
	}
	return false
}

// readsFirst reports whether whoever stores to a target of the kernel's text has read before all that it reads of v's
// memory. Then it doesn't matter whether that is the same memory: what another thread stores where no barrier, atomic or
// fence lies between is a race in the original, too.
func readsFirst(k *analysis.Kernel, v *ir.Var, target *ir.Expr) bool {
	for _, fn := range slices.Concat(k.Functions, k.Implicit) {
		if fn.Body.AnyExpr(func(e *ir.Expr) bool {
			row := intrinsic.Of(e.Name)
			return e.Op == ir.OpCall && len(k.Callees(fn, e)) == 0 && (row.IsShared() || row.Kind == intrinsic.Fence) || e.Op == ir.OpCast && e.Type.Volatile
		}) || slices.ContainsFunc(slices.Concat(fn.Params, fn.Vars), func(v *ir.Var) bool { return v.Type.Volatile }) {
			return false
		}
	}
	from := map[*ir.Var]bool{v: true} // pointers that v's may be in
	names := func(e *ir.Expr) bool {
		return e.Op == ir.OpIdent && (from[e.Var] || e.Var == nil && e.Name == v.Name && v.Kind != ir.VarParam)
	}
	for size := 0; size < len(from); {
		size = len(from)
		for _, w := range k.Func.Vars {
			if w.Type.Ptr > 0 || w.Type.Ref || w.Type.IsAuto() || w.Type.Record != nil {
				if w.Init.Any(names) || slices.ContainsFunc(w.Writes, func(e *ir.Expr) bool { return e.Any(names) }) {
					from[w] = true
				}
			}
		}
	}
	return !k.Func.Body.AnyExpr(func(e *ir.Expr) bool { return names(e) && k.Func.MayPrecede(target, e) })
}

// mostCalls bounds the depth of calls through which a pointer is followed up.
const mostCalls = 4

// isPassedElsewhere reports whether all calls of a device function pass for one of its pointers a
// parameter of the kernel that is not v's, by its name.
func isPassedElsewhere(k *analysis.Kernel, fn *ir.Func, v, w *ir.Var, depth int) bool {
	i := slices.Index(fn.Params, w)
	if i < 0 || depth == 0 {
		return false
	}
	calls := 0
	for _, caller := range slices.Concat(k.Functions, k.Implicit) {
		if caller.Body.AnyExpr(func(call *ir.Expr) bool {
			if call.Op != ir.OpCall || !slices.Contains(k.Callees(caller, call), fn) {
				return false
			}
			calls++
			if i >= len(call.Args()) {
				return true
			}
			arg := call.Args()[i]
			if arg.Op != ir.OpIdent || arg.Var == nil || arg.Var.Kind != ir.VarParam {
				return true
			}
			if caller == k.Func {
				return !isElsewhere(k, caller, v, &ir.Expr{Op: ir.OpDeref, Kids: []*ir.Expr{arg}, Range: arg.Range})
			}
			p := arg.Var
			return derefsToElement(p) != 1 || len(p.Writes) > 0 || p.AddrTaken || !isPassedElsewhere(k, caller, v, p, depth-1)
		}) {
			return false
		}
	}
	return calls > 0
}
