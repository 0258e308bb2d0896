package merge

import (
	"strings"

	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/analysis/ir"
)

// infer returns the type of an expression where that is simple enough to be sure.
func (c *cutter) infer(e *ir.Expr) (ir.Type, bool) {
	none := ir.Type{}
	if e == nil {
		return none, false
	}
	switch e.Op {
	case ir.OpIdent:
		if e.Var != nil && !e.Var.Type.IsAuto() && len(e.Var.Dims) == 0 {
			t := e.Var.Type
			t.Ref, t.Const = false, false
			return t, true
		}
	case ir.OpMember:
		if b := e.Kids[0]; b.Op == ir.OpIdent && b.Var == nil && intrinsic.VariableOf(b.Name) != nil {
			return ir.Type{Base: ir.Uint.Name}, true
		}
	case ir.OpIndex:
		b := e.Kids[0]
		if b.Op == ir.OpIdent && b.Var != nil && !b.Var.Type.IsAuto() && (b.Var.Type.Ptr == 1 && len(b.Var.Dims) == 0 || b.Var.Type.Ptr == 0 && len(b.Var.Dims) == 1) {
			return ir.Type{Base: b.Var.Type.Base}, true
		}
	case ir.OpCast:
		if e.Type.Base != "" && !e.Type.IsAuto() && !e.Type.Ref {
			t := e.Type
			t.Const = false
			return t, true
		}
	case ir.OpCall:
		if strings.HasPrefix(e.Name, "make_") && e.Intrinsic().Pure() {
			return ir.Type{Base: strings.TrimPrefix(e.Name, "make_")}, true
		}
	case ir.OpBinary:
		a, okA := c.infer(e.Kids[0])
		b, okB := c.infer(e.Kids[1])
		n, number := ir.NumberOf(a.Base)
		if okA && okB && a == b && number && n.Bytes >= ir.Int.Bytes && a.Ptr == 0 && strings.Contains("+-*/", e.Tok) {
			return a, true
		}
	}
	return none, false
}
