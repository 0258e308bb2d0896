package cost

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/model/workload"
)

// stmt runs a statement. Regions open and close at the statements they begin and end with.
func (f *frame) stmt(s *ir.Stmt) {
	x := f.x
	if s == nil || x.budget < -exhausted {
		return
	}
	if r := x.starts[s]; r != nil && x.region == nil && x.mute == 0 {
		f.regionRun([]*ir.Stmt{s})
		return
	}
	if x.computed[s] && x.moves() && x.slot != x.ahead {
		x.inTurn = x.slot
		x.counting(x.ahead, func() { f.perform(s) })
		x.slot, x.inTurn = x.inTurn, nil
		return
	}
	f.perform(s)
}

// perform runs a statement where it stands.
func (f *frame) perform(s *ir.Stmt) {
	x := f.x
	defer f.at(s.Range.Start)()
	switch s.Op {
	case ir.StmtCompound, ir.StmtLabel, ir.StmtCase:
		f.list(s.List)
	case ir.StmtDecl:
		f.declare(s)
	case ir.StmtExpr:
		f.eval(s.Expr)
	case ir.StmtIf:
		f.branch(s)
	case ir.StmtFor, ir.StmtWhile, ir.StmtDo:
		f.loop(s)
	case ir.StmtSwitch:
		f.choice(s)
	case ir.StmtReturn:
		if s.Expr != nil {
			f.result = f.eval(s.Expr)
		}
		x.leave()
	case ir.StmtBreak, ir.StmtContinue:
		f.jump(s)
	default:
		s.Exprs(func(e *ir.Expr) { f.eval(e) })
	}
}

// list runs statements in order; a run of them may be a region.
func (f *frame) list(stmts []*ir.Stmt) {
	x := f.x
	for i := 0; i < len(stmts); i++ {
		if r := x.starts[stmts[i]]; r != nil && x.region == nil && x.mute == 0 && len(r.Stmts) > 1 {
			f.regionRun(r.Stmts)
			i += len(r.Stmts) - 1
			continue
		}
		f.stmt(stmts[i])
	}
}

// regionRun runs the statements of a region.
func (f *frame) regionRun(stmts []*ir.Stmt) {
	x := f.x
	r := x.starts[stmts[0]]
	restore := f.at(stmts[0].Range.Start)
	n := x.structure(workload.KindRegion, r, x.line.in)
	restore()
	n.runs += x.weight * x.share
	x.region, x.ahead = r, nil
	stay, late := x.apart(stmts)
	x.inside(n, func() {
		if x.earlyIn[r] {
			x.open("early")
			x.slot.early = true
			x.ahead, x.slot = x.slot, nil
		}
		for _, s := range stay {
			f.stmt(s)
		}
	})
	x.region, x.ahead = nil, nil
	f.behindTurn(n, late)
}

func (f *frame) declare(s *ir.Stmt) {
	x := f.x
	for _, v := range s.Vars {
		if v.Kind == ir.VarShared {
			continue
		}
		restore := f.at(v.Range.Start)
		switch {
		case v.Type.Ref && v.Init != nil:
			l := f.lvalue(v.Init)
			f.alias[v] = l
		case len(v.Dims) > 0:
			f.declareArray(v)
		case v.Init != nil && !isGroup(v):
			val := f.eval(v.Init)
			if v.Type.IsAuto() {
				f.set(cell{v: v}, val)
				break
			}
			t := f.typeOf(v.Type)
			if v.Init.Op == ir.OpInitList && t.comps > 1 {
				val = x.unknown(t)
			}
			f.set(cell{v: v}, f.converted(val, t))
		case v.Init == nil:
			delete(f.cells, cell{v: v})
		}
		restore()
	}
}

// declareArray forgets what an array held in an earlier turn, and initialises it.
func (f *frame) declareArray(v *ir.Var) {
	if v.Init == nil || v.Init.Op != ir.OpInitList {
		return
	}
	if v.Static || v.Type.Const && onlyConstants(v.Init) {
		return // a table in constant memory
	}
	for i, k := range v.Init.Kids {
		f.set(cell{v: v, index: int64(i)}, f.converted(f.eval(k), f.typeOf(v.Type)))
	}
}

func onlyConstants(e *ir.Expr) bool {
	return !e.Any(func(k *ir.Expr) bool {
		return !slices.Contains([]ir.Op{ir.OpInitList, ir.OpInt, ir.OpLiteral, ir.OpUnary, ir.OpCast, ir.OpBinary}, k.Op)
	})
}

func isGroup(v *ir.Var) bool {
	return v.Init.Op == ir.OpCall && (v.Init.Name == "this_thread_block" || v.Init.Name == "tiled_partition" || v.Init.Name == "this_grid" || v.Init.Name == "coalesced_threads")
}

// leave ends the current threads' part in a function, where that is certain.
func (x *walk) leave() {
	if x.maybe > 0 {
		return
	}
	x.dead = union(x.n, x.dead, x.mask)
	x.restrict(x.mask)
}

// union adds threads to a set in which nil is none.
func union(n int, set, more mask) mask {
	out := make(mask, n)
	for i := range out {
		out[i] = set != nil && set[i] || more.has(i)
	}
	return out
}

// jump is break or continue.
func (f *frame) jump(s *ir.Stmt) {
	x := f.x
	if x.maybe > 0 || len(x.loops) == 0 {
		return
	}
	l := x.loops[len(x.loops)-1]
	if s.Op == ir.StmtContinue && l.stmt.Op == ir.StmtSwitch {
		return
	}
	if s.Op == ir.StmtBreak {
		l.left = union(x.n, l.left, x.mask)
	} else {
		l.skipped = union(x.n, l.skipped, x.mask)
	}
	x.dead = union(x.n, x.dead, x.mask)
	x.restrict(x.mask)
}

// revive lets threads that jumped go on.
func (x *walk) revive(who mask) {
	if who == nil || x.dead == nil {
		return
	}
	d := make(mask, x.n)
	any := false
	for i := range d {
		d[i] = x.dead[i] && !who[i]
		any = any || d[i]
	}
	x.dead = d
	if !any {
		x.dead = nil
	}
}
