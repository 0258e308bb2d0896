package kit

import "github.com/smux-cuda/smux/analysis/ir"

// Subscripts returns the subscripts of an element, the last first.
func Subscripts(element *ir.Expr) []*ir.Expr {
	var out []*ir.Expr
	for e := element; e.Op == ir.OpIndex; e = e.Kids[0] {
		out = append(out, e.Kids[1])
	}
	return out
}
