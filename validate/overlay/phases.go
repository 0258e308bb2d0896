package overlay

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/validate/content"
	"github.com/smux-cuda/smux/validate/kit"
)

// The conditions of overlay, of a kernel whose arrays have bytes of their own again, and of the arrays that would
// have bytes in common:
//
//   - added barriers are met by all threads of a block;
//   - between uses of two such arrays lies a barrier, on every way (phases);
//   - no element is read that was written before another such array was (content.go: a write to one forgets what
//     is known of the others).
//
// All threads of a block have passed the same barrier at any time. So two uses may come at the same time only if one
// barrier may be the last before both.
type phases struct {
	al   *kit.Alignment
	over map[*ir.Var][]*ir.Var
	uses []phaseUse
	lost bool
}

// barriers are those that may be the last that a thread met; the kernel's body stands for none.
type barriers map[*ir.Stmt]bool

func (b barriers) Size() int { return len(b) }

func (b barriers) With(o barriers) barriers {
	out := barriers{}
	for s := range b {
		out[s] = true
	}
	for s := range o {
		out[s] = true
	}
	return out
}

// phaseUse is a use of an array, and the barriers before it.
type phaseUse struct {
	v      *ir.Var
	at     int
	behind barriers
}

// fits checks the conditions of arrays that share bytes.
func (o *overlay) fits(al *kit.Alignment, added []int) {
	k, f := o.k, al.Texts.New.File
	over := o.overlaps(al.New)
	for name := range o.names {
		v := sharedOf(al.New, name)
		if v == nil {
			k.Doubt(kit.Copies, f, al.New.Body.Range.Start, "%s is not one array", name)
		}
	}
	var more []*ir.Stmt
	for s := range al.New.Body.All() {
		if al.IsBarrier(al.Texts.New, s) {
			if slices.Contains(added, s.Range.Start) {
				more = append(more, s)
			} else {
				al.Roles[s] = kit.RoleBarrier
			}
		}
	}
	if len(more) != len(added) {
		k.Doubt(kit.Erasure, f, al.New.Body.Range.Start, "a barrier that was added can't be found again")
	}
	al.Texts.ReachFrom(k, al.New)
	k.State.Taint(al.Texts, k)
	kit.NewUniformity(al).AddedFit(more)
	if len(more) > 0 && !k.Doubtful(kit.Uniform) {
		k.Show(kit.Uniform, "barriers that were added stand where the whole block comes by")
	}
	for _, s := range more {
		al.Roles[s] = kit.RoleBarrier
	}
	p := &phases{al: al, over: over}
	follow := kit.Paths[barriers]{Exprs: p.exprs, Leave: func(*ir.Stmt, barriers) {}, Lost: func(*ir.Stmt) { p.lost = true },
		Own: func(s *ir.Stmt, in barriers) (barriers, bool) {
			return barriers{s: true}, al.Roles[s] == kit.RoleBarrier
		}}
	follow.Stmt(al.New.Body, barriers{al.New.Body: true})
	p.apart()
	o.contentFits(al, over)
}

// exprs notes the uses of arrays in a statement's own expressions. A call that has a barrier is one after which it
// and those before may be the last; one that is given an array and has a barrier is not followed.
func (p *phases) exprs(s *ir.Stmt, in barriers) barriers {
	st := p.al.Kernel.State
	use := func(v *ir.Var, at int) { p.uses = append(p.uses, phaseUse{v, at, in}) }
	all := func(at int) {
		for v := range p.over {
			use(v, at)
		}
	}
	out := in
	s.Exprs(func(top *ir.Expr) {
		kit.Walk(&ir.Stmt{Op: ir.StmtExpr, Expr: top}, func(e *ir.Expr) bool {
			switch {
			case e.Op == ir.OpIdent && e.Var != nil && p.over[e.Var] != nil:
				use(e.Var, e.Range.Start)
			case e.Op == ir.OpIdent && e.Var != nil && e.Var.Kind != ir.VarShared && st.Tainted[e.Var]:
				all(e.Range.Start)
			case e.Op == ir.OpAsm:
				all(e.Range.Start)
			case e.Op == ir.OpCast && e.Type.Ptr > 0 && len(e.Kids) == 1 && st.Address(e.Kids[0], true):
				p.al.Kernel.Doubt(kit.Copies, p.al.Texts.New.File, e.Range.Start, "an array is seen as another type here, which must be aligned")
			case e.Op == ir.OpCall:
				if st.MeetsBarrier(e) {
					out = out.With(barriers{s: true})
					if slices.ContainsFunc(e.Args(), func(arg *ir.Expr) bool { return st.Address(arg, true) }) {
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
	k, f := p.al.Kernel, p.al.Texts.New.File
	if p.lost {
		k.Doubt(kit.Turns, f, p.al.New.Body.Range.Start, "which barriers lie between uses of arrays can't be followed")
	}
	for i, u := range p.uses {
		for _, w := range p.uses[i+1:] {
			if !slices.Contains(p.over[u.v], w.v) {
				continue
			}
			for s := range u.behind {
				if w.behind[s] {
					k.Doubt(kit.Turns, f, w.at, "threads may use %s here while others use %s in line %d, of the same bytes", w.v.Name, u.v.Name, f.Position(u.at).Line)
					break
				}
			}
		}
	}
	if !k.Doubtful(kit.Turns) {
		k.Show(kit.Turns, "a barrier lies between uses of the same bytes, on every way")
	}
}

// Fit checks that nothing is read whose bytes another array took since it was written.
func (o *overlay) contentFits(al *kit.Alignment, over map[*ir.Var][]*ir.Var) {
	k, f := o.k, al.Texts.New.File
	shapes, known := content.ShapesOf(o.c, k.Name)
	if !known {
		k.Doubt(kit.Content, f, al.New.Body.Range.Start, "which elements are written can't be told without the shape of a block")
		return
	}
	for _, shape := range shapes {
		if k.Doubtful(kit.Content) {
			break
		}
		al.Obj.Block = shape
		c := content.NewContent(al, al.Obj.Threads())
		c.Turn, c.Reading = true, true
		c.Declare()
		c.Over = map[*content.Array][]*content.Array{}
		for v, others := range over {
			for _, w := range others {
				if c.Arrays[v] != nil && c.Arrays[w] != nil {
					c.Over[c.Arrays[v]] = append(c.Over[c.Arrays[v]], c.Arrays[w])
				}
			}
		}
		c.Dirty, c.Taken = map[*content.Array]bool{}, map[*content.Array]bool{}
		c.Run(al.New.Body.Range.Start)
	}
	k.RunFor(shapes)
	if !k.Doubtful(kit.Content) {
		k.Show(kit.Content, "run for the threads of one block, with what is known of integers")
	}
}
