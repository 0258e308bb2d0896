package footprint

import (
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/pointers"
)

// pointerMember adds the use of a pointer that is a member of something in shared memory, and through which the
// address of e leads: it is read, whatever is done to what it points to. A member that is an array is not a pointer.
func (x *Execution) pointerMember(out *MemoryEffect, e *ir.Expr, in Flow) {
	if in.May.None {
		return
	}
	follows, base := 1, e.Kids[0]
	for base.Op == ir.OpIndex || base.Op == ir.OpDeref || base.Op == ir.OpCast && len(base.Kids) == 1 {
		if base.Op != ir.OpCast {
			follows++
		}
		base = base.Kids[0]
	}
	if base.Op != ir.OpMember || follows <= pointers.MemberDims(x.K.Kernel, x.Fn, base) {
		return
	}
	if set := pointers.Lvalue(x.K.Kernel, x.Fn, base); set != 0 {
		x.use(out, nil, evaluate.Ref{Arrays: set, Opaque: true}, in)
	}
}
