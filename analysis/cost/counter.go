package cost

import "github.com/smux-cuda/smux/analysis/ir"

// vary makes what a loop that is not flattened assigns a variable at its start: what depends on it is not a constant.
func (f *frame) vary(s *ir.Stmt, t trips, unroll float64) {
	start, counted := f.cells[t.counter]
	counted = counted && t.counter.v != nil && start.id == 0 && t.known && t.most%int64(unroll) == 0
	for e := range s.AllExprs() {
		if e.Op != ir.OpAssign && e.Op != ir.OpIncDec || e.Kids[0].Op != ir.OpIdent || e.Kids[0].Var == nil {
			continue
		}
		at := cell{v: e.Kids[0].Var}
		if c, ok := f.cells[at]; ok && (c.id == 0 || f.x.compiling && at == t.counter) && c.obj == nil {
			c.id = f.x.fresh()
			f.x.appears(c.id, c.typ.words())
			if n := f.x.lives.of[c.id]; n != nil && at == t.counter {
				n.counts = n.within
			}
			f.set(at, c)
		}
	}
	if counted {
		c := f.cells[t.counter]
		c.modulus = int64(unroll) * t.step
		f.set(t.counter, c)
	}
}

// skip brings the counter from the turn that was reached to one further on.
func (f *frame) skip(s *ir.Stmt, t trips, at, turn int64) {
	x := f.x
	if at >= turn {
		return
	}
	if t.linear {
		c := f.cells[t.counter]
		d := constant((turn-at)*t.step, c.typ)
		c.numbers(numeric("+", c, d))
		c.add += d.s
		f.set(t.counter, c)
		return
	}
	x.mute++
	for range min(turn-at, 4096) {
		if s.Post != nil {
			f.eval(s.Post)
		}
		for _, e := range bodySteps(s) {
			f.eval(e)
		}
	}
	x.mute--
}

// forget drops the numbers of what a loop assigns: not all turns were walked.
func (f *frame) forget(s *ir.Stmt) {
	for e := range s.AllExprs() {
		if e.Op == ir.OpAssign || e.Op == ir.OpIncDec {
			if r := e.Kids[0]; r.Op == ir.OpIdent && r.Var != nil {
				if c, ok := f.cells[cell{v: r.Var}]; ok {
					old := c.id
					c.exact = false
					c.id = f.x.fresh()
					f.x.folded(c.id, old)
					f.set(cell{v: r.Var}, c)
				}
			}
		}
	}
}
