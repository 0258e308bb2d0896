package analysis

import (
	"strings"

	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/analysis/ir"
)

// collective returns the class of CUB whose member a call is, BR(storage).Sum(x) or
// cub::BlockReduce<float, 64>(storage).Sum(x), nil if it is none. The object must be made
// for the call, and be given its storage: what it refers to is then in view.
func (k *Kernel) collective(fn *ir.Func, e *ir.Expr) *intrinsic.Collective {
	obj, member := e.IsMemberCall()
	if !member || obj.Op != ir.OpCall || len(obj.Args()) != 1 || obj.Kids[0].Op != ir.OpIdent {
		return nil
	}
	class := strings.TrimPrefix(obj.Qual+"::"+obj.Name, "::")
	switch v := obj.Kids[0].Var; {
	case v != nil && v.Kind == ir.VarTemplateType:
		class = v.Type.Base
	case v != nil:
		return nil
	case obj.Qual == "":
		if t := k.Prog.typeNames(fn.File); t != nil {
			if means, ok := t.Lookup(fn.View.Class, obj.Name); ok {
				class = means
			}
		}
	}
	class, _, _ = strings.Cut(strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(class), "typename "), "::"), "<")
	name, ok := strings.CutPrefix(class, "cub::")
	if !ok {
		return nil
	}
	return intrinsic.CollectiveOf(strings.TrimSpace(name))
}

// OnlyCollectives reports whether nothing stands against the kernel but that it calls
// collectives of CUB, whose barriers are out of view: merged blocks that all have their
// own storage and call them together can keep them.
func (k *Kernel) OnlyCollectives() bool {
	for _, h := range k.Hazards {
		if h.Code != CodeBarrierCall {
			return false
		}
	}
	return len(k.Hazards) > 0
}
