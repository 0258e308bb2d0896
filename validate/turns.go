package validate

import (
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
)

// entry checks the head of a kernel: nothing happens before the object is there, and v-TBs that the grid has
// no block for leave at once. In a block that stays they leave the loop over groups, which is all that there is.
func (al turns) entry() {
	stage := 0
	for _, s := range al.b.Body.List {
		us := al.c.unitsOf(s)
		switch {
		case stage == 0 && parseObject(us) != nil:
			stage = 1
		case stage == 1 && al.roles[s] == roleActive && !al.obj.stays:
			return
		case stage == 1 && al.obj.stays && al.roles[s] == roleStart:
		case stage == 1 && al.roles[s] == roleGroups:
			stage = 2
			al.staysFit()
		case stage == 2 && al.roles[s] == roleFinish:
		case stage > 0, s.Op != ir.StmtDecl && s.Op != ir.StmtEmpty:
			al.k.doubt(Uniform, al.c.b.file, s.Range.Start, "a v-TB that the grid has no block for must leave before this")
			return
		}
	}
	if stage < 2 {
		al.k.doubt(Uniform, al.c.b.file, al.obj.at, "a v-TB that the grid has no block for never leaves")
	}
}

// staysFit checks that a kernel's body can be run again for another block: nothing is left of the one before.
// What v-TBs take turns with they ask for anew; what each has for itself some threads may still use while others
// go on, but for a barrier.
func (al turns) staysFit() {
	for _, v := range al.b.Params {
		if len(v.Writes) > 0 || v.AddrTaken || v.Type.Ptr == 0 && !plainValue(v.Type.Base) && !v.Type.Const {
			al.k.doubt(Moves, al.c.b.file, v.Range.Start, "%s may change, and the next block would begin with what is left", v.Name)
		}
	}
	al.b.Body.Walk(func(s *ir.Stmt) bool {
		if s.Op == ir.StmtReturn {
			al.k.doubt(Turns, al.c.b.file, s.Range.Start, "this leaves out the blocks that come next")
		}
		return true
	})
	for _, cp := range al.k.state.copies {
		if !cp.slot && !al.obj.meets {
			al.k.doubt(Copies, al.c.b.file, cp.at, "the next block may write to %s while this one still reads", cp.array)
		}
	}
}

// calledInTurns judges the device functions that are told whose turn it is; none but these are.
func (al turns) calledInTurns() {
	all := []*alignment{al.alignment}
	for _, g := range al.k.state.reach[1:] {
		if form := al.k.state.aligned[g.View]; form != nil && form.obj.mine != "" {
			turns{form}.formFit()
			turns{form}.uniformFit()
			all = append(all, form)
		}
	}
	for _, caller := range all {
		walk(caller.b.Body, func(e *ir.Expr) bool {
			if args := e.Args(); al.obj.inBlockMode() && len(args) > 0 && caller.givesTurn(args[0]) {
				if len(al.k.state.calls[e]) == 0 {
					al.k.doubt(Erasure, al.c.b.file, e.Range.Start, "%s is told whose turn it is, and is not in view", e.Name)
				}
				for _, g := range al.k.state.calls[e] {
					if form := al.k.state.aligned[g.View]; form == nil || form.obj.mine == "" {
						al.k.doubt(Erasure, al.c.b.file, e.Range.Start, "%s is told whose turn it is, and was not before", e.Name)
					}
				}
			}
			return true
		})
	}
}

// beside returns an alignment of two functions that a kernel's two forms call, with the kernel's object.
func (al turns) beside(a, b *ir.Func) *alignment {
	out := newAlignment(al.c, al.k, a, b)
	obj := *al.obj
	obj.at = -1
	out.obj = &obj
	return out
}

// hasRawBarrier reports whether a function meets a barrier of the launched block itself.
func hasRawBarrier(st *kernelState, fn *ir.Func) bool {
	return some(fn.Body, func(e *ir.Expr) bool {
		if _, mine := st.main.obj.own(e); mine || !isBarrierCall(e) {
			return false
		}
		obj, member := e.IsMemberCall()
		al := st.aligned[fn.View]
		ofForm := al != nil && member && obj.Op == ir.OpIdent && obj.Name == al.obj.name
		tile := member && called(e) == "sync" && obj.Op == ir.OpIdent && obj.Var != nil && strings.Contains(obj.Var.Type.Base, "tile")
		return !ofForm && !tile
	})
}
