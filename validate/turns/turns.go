package turns

import (
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/validate/kit"
)

// entry checks the head of a kernel: nothing happens before the object is there, and v-TBs that the grid has
// no block for leave at once. In a block that stays they leave the loop over groups, which is all that there is.
func (al turns) entry() {
	stage := 0
	for _, s := range al.New.Body.List {
		us := al.Texts.UnitsOf(s)
		switch {
		case stage == 0 && kit.ParseObject(us) != nil:
			stage = 1
		case stage == 1 && al.Roles[s] == kit.RoleActive && !al.Obj.Stays:
			return
		case stage == 1 && al.Obj.Stays && al.Roles[s] == kit.RoleStart:
		case stage == 1 && al.Roles[s] == kit.RoleGroups:
			stage = 2
			al.staysFit()
		case stage == 2 && al.Roles[s] == kit.RoleFinish:
		case stage > 0, s.Op != ir.StmtDecl && s.Op != ir.StmtEmpty:
			al.Kernel.Doubt(kit.Uniform, al.Texts.New.File, s.Range.Start, "a v-TB that the grid has no block for must leave before this")
			return
		}
	}
	if stage < 2 {
		al.Kernel.Doubt(kit.Uniform, al.Texts.New.File, al.Obj.At, "a v-TB that the grid has no block for never leaves")
	}
}

// staysFit checks that a kernel's body can be run again for another block: nothing is left of the one before.
// What v-TBs take turns with they ask for anew; what each has for itself some threads may still use while others
// go on, but for a barrier.
func (al turns) staysFit() {
	for _, v := range al.New.Params {
		if len(v.Writes) > 0 || v.AddrTaken || v.Type.Ptr == 0 && !kit.PlainValue(v.Type.Base) && !v.Type.Const {
			al.Kernel.Doubt(kit.Moves, al.Texts.New.File, v.Range.Start, "%s may change, and the next block would begin with the old value", v.Name)
		}
	}
	for s := range al.New.Body.All() {
		if s.Op == ir.StmtReturn {
			al.Kernel.Doubt(kit.Turns, al.Texts.New.File, s.Range.Start, "this leaves out the blocks that come next")
		}
	}
	for _, cp := range al.Kernel.State.Copies {
		if !cp.Slot && !al.Obj.Meets {
			al.Kernel.Doubt(kit.Copies, al.Texts.New.File, cp.At, "the next block may write to %s while this one still reads", cp.Array)
		}
	}
}

// calledInTurns judges the device functions that are told whose turn it is; none but these are.
func (al turns) calledInTurns() {
	all := []*kit.Alignment{al.Alignment}
	for _, g := range al.Kernel.State.Reach[1:] {
		if form := al.Kernel.State.Aligned[g.View]; form != nil && form.Obj.Mine != "" {
			turns{form}.formFit()
			turns{form}.uniformFit()
			all = append(all, form)
		}
	}
	for _, caller := range all {
		kit.Walk(caller.New.Body, func(e *ir.Expr) bool {
			if args := e.Args(); al.Obj.InBlockMode() && len(args) > 0 && caller.GivesTurn(args[0]) {
				if len(al.Kernel.State.Calls[e]) == 0 {
					al.Kernel.Doubt(kit.Erasure, al.Texts.New.File, e.Range.Start, "%s is told whose turn it is, and is not in view", e.Name)
				}
				for _, g := range al.Kernel.State.Calls[e] {
					if form := al.Kernel.State.Aligned[g.View]; form == nil || form.Obj.Mine == "" {
						al.Kernel.Doubt(kit.Erasure, al.Texts.New.File, e.Range.Start, "%s is told whose turn it is, and was not before", e.Name)
					}
				}
			}
			return true
		})
	}
}

// beside returns an alignment of two functions that a kernel's two forms call, with the kernel's object.
func (al turns) beside(a, b *ir.Func) *kit.Alignment {
	out := kit.NewAlignment(al.Texts, al.Kernel, a, b)
	obj := *al.Obj
	obj.At = -1
	out.Obj = &obj
	return out
}

// hasRawBarrier reports whether a function meets a barrier of the launched block itself.
func hasRawBarrier(st *kit.KernelState, fn *ir.Func) bool {
	return kit.Some(fn.Body, func(e *ir.Expr) bool {
		if _, mine := st.Main.Obj.Own(e); mine || !kit.IsBarrierCall(e) {
			return false
		}
		obj, member := e.IsMemberCall()
		al := st.Aligned[fn.View]
		ofForm := al != nil && member && obj.Op == ir.OpIdent && obj.Name == al.Obj.Name
		tile := member && kit.Called(e) == "sync" && obj.Op == ir.OpIdent && obj.Var != nil && strings.Contains(obj.Var.Type.Base, "tile")
		return !ofForm && !tile
	})
}
