package kit

import "github.com/smux-cuda/smux/analysis/ir"

func Subscripts(element *ir.Expr) []*ir.Expr {
	var out []*ir.Expr
	for e := element; e.Op == ir.OpIndex; e = e.Kids[0] {
		out = append(out, e.Kids[1])
	}
	return out
}

// Derefs is how many steps an expression goes from one object to another, an array's
// elements included.
func Derefs(e *ir.Expr) (n int) {
	for ; e != nil && len(e.Kids) > 0; e = e.Kids[0] {
		if e.Op == ir.OpIndex || e.Op == ir.OpDeref || e.Op == ir.OpMember && e.Arrow {
			n++
		}
	}
	return n
}
