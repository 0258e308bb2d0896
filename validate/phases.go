package validate

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
)

// The conditions of overlay, of a kernel whose arrays have bytes of their own again, and of the arrays that would
// have bytes in common:
//
//   - added barriers are met by all threads of a block;
//   - between uses of two such arrays lies a barrier, on every way (phases);
//   - no element is read that was written before another such array was (content.go: a write to one forgets what
//     is known of the others).
//
// All threads of a block are behind the same barrier at any time. So two uses may come at the same time only if one
// barrier may be the last before both.
type phases struct {
	al   *alignment
	over map[*ir.Var][]*ir.Var
	uses []phaseUse
	lost bool
}

// barriers are those that may be the last that a thread met; the kernel's body stands for none.
type barriers map[*ir.Stmt]bool

func (b barriers) size() int { return len(b) }

func (b barriers) with(o barriers) barriers {
	out := barriers{}
	for s := range b {
		out[s] = true
	}
	for s := range o {
		out[s] = true
	}
	return out
}

// phaseUse is where an array is used, and behind which barriers.
type phaseUse struct {
	v      *ir.Var
	at     int
	behind barriers
}

// fits checks the conditions of arrays that share bytes.
func (o *overlay) fits(al *alignment, added []int) {
	k, f := o.k, al.c.b.file
	over := o.overlaps(al.b)
	for name := range o.names {
		v := sharedOf(al.b, name)
		if v == nil {
			k.doubt(Copies, f, al.b.Body.Range.Start, "%s is not one array", name)
		}
	}
	var more []*ir.Stmt
	al.b.Body.Walk(func(s *ir.Stmt) bool {
		if al.isBarrier(al.c.b, s) {
			if slices.Contains(added, s.Range.Start) {
				more = append(more, s)
			} else {
				al.roles[s] = roleBarrier
			}
		}
		return true
	})
	if len(more) != len(added) {
		k.doubt(Erasure, f, al.b.Body.Range.Start, "a barrier that was added can't be found again")
	}
	al.c.reachFrom(k, al.b)
	k.state.taint(al.c, k)
	newUniformity(al).addedFit(more)
	if len(more) > 0 && !k.doubtful(Uniform) {
		k.shown(Uniform, "barriers that were added stand where the whole block comes by")
	}
	for _, s := range more {
		al.roles[s] = roleBarrier
	}
	p := &phases{al: al, over: over}
	follow := paths[barriers]{exprs: p.exprs, leave: func(*ir.Stmt, barriers) {}, lost: func(*ir.Stmt) { p.lost = true },
		own: func(s *ir.Stmt, in barriers) (barriers, bool) { return barriers{s: true}, al.roles[s] == roleBarrier }}
	follow.stmt(al.b.Body, barriers{al.b.Body: true})
	p.apart()
	o.contentFits(al, over)
}

// exprs notes the uses of arrays in a statement's own expressions. A call that has a barrier is one behind which it
// and those before may be the last; one that is given an array and has a barrier is not followed.
func (p *phases) exprs(s *ir.Stmt, in barriers) barriers {
	st := p.al.k.state
	use := func(v *ir.Var, at int) { p.uses = append(p.uses, phaseUse{v, at, in}) }
	all := func(at int) {
		for v := range p.over {
			use(v, at)
		}
	}
	out := in
	s.Exprs(func(top *ir.Expr) {
		walk(&ir.Stmt{Op: ir.StmtExpr, Expr: top}, func(e *ir.Expr) bool {
			switch {
			case e.Op == ir.OpIdent && e.Var != nil && p.over[e.Var] != nil:
				use(e.Var, e.Range.Start)
			case e.Op == ir.OpIdent && e.Var != nil && e.Var.Kind != ir.VarShared && st.tainted[e.Var]:
				all(e.Range.Start)
			case e.Op == ir.OpAsm:
				all(e.Range.Start)
			case e.Op == ir.OpCast && e.Type.Ptr > 0 && len(e.Kids) == 1 && st.address(e.Kids[0], true):
				p.al.k.doubt(Copies, p.al.c.b.file, e.Range.Start, "an array is seen as another type here, which must be aligned")
			case e.Op == ir.OpCall:
				if st.meetsBarrier(e) {
					out = out.with(barriers{s: true})
					if slices.ContainsFunc(e.Args(), func(arg *ir.Expr) bool { return st.address(arg, true) }) {
						p.lost = true
					}
				}
			}
			return true
		})
	})
	return out
}

// apart checks that no two uses of arrays with bytes in common may come at the same time.
func (p *phases) apart() {
	k, f := p.al.k, p.al.c.b.file
	if p.lost {
		k.doubt(Turns, f, p.al.b.Body.Range.Start, "which barriers lie between uses of arrays can't be followed")
	}
	for i, u := range p.uses {
		for _, w := range p.uses[i+1:] {
			if !slices.Contains(p.over[u.v], w.v) {
				continue
			}
			for s := range u.behind {
				if w.behind[s] {
					k.doubt(Turns, f, w.at, "threads may use %s here while others use %s in line %d, of the same bytes", w.v.Name, u.v.Name, f.Position(u.at).Line)
					break
				}
			}
		}
	}
	if !k.doubtful(Turns) {
		k.shown(Turns, "a barrier lies between uses of the same bytes, on every way")
	}
}

// contentFits checks that nothing is read whose bytes another array took since it was written.
func (o *overlay) contentFits(al *alignment, over map[*ir.Var][]*ir.Var) {
	k, f := o.k, al.c.b.file
	shapes, known := shapesOf(o.c, k.Name)
	if !known {
		k.doubt(Content, f, al.b.Body.Range.Start, "which elements are written can't be told without the shape of a block")
		return
	}
	for i, shape := range shapes {
		if slices.Contains(shapes[:i], shape) || k.doubtful(Content) {
			continue
		}
		al.obj.block = shape
		c := newContent(al, al.obj.threads())
		c.turn, c.reading = true, true
		c.declare()
		c.over = map[*array][]*array{}
		for v, others := range over {
			for _, w := range others {
				if c.arrays[v] != nil && c.arrays[w] != nil {
					c.over[c.arrays[v]] = append(c.over[c.arrays[v]], c.arrays[w])
				}
			}
		}
		c.dirty, c.taken = map[*array]bool{}, map[*array]bool{}
		c.run(al.b.Body.Range.Start)
		k.Block = shape
	}
	if slices.ContainsFunc(shapes, func(s [3]int) bool { return s != shapes[0] }) {
		k.Block = [3]int{}
	}
	if !k.doubtful(Content) {
		k.shown(Content, "run for the threads of one block, with what is known of integers")
	}
}
