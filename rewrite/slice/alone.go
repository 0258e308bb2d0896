package slice

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/ir/effect"
)

// alone reports whether nothing but its name leads to a variable of a function: no pointer, no reference but those
// that functions in view have as parameters, and no lambda.
func (p *sliceProof) alone(fn *ir.Func, v *ir.Var) bool {
	if known, ok := p.lonely[v]; ok {
		return known
	}
	p.lonely[v] = true // a function that calls itself adds nothing
	for _, o := range fn.Vars {
		if r := o.Init; o.Type.Ref && r != nil && r.Any(func(e *ir.Expr) bool { return e.Var == v }) {
			p.lonely[v] = false
		}
	}
	fn.Body.WalkExprs(func(top *ir.Expr) bool {
		if top.Op == ir.OpLambda && top.Lambda != nil && top.Lambda.AnyExpr(func(e *ir.Expr) bool { return e.Op == ir.OpIdent && e.Name == v.Name }) {
			p.lonely[v] = false
		}
		return p.lonely[v]
	})
	fn.Body.Walk(func(s *ir.Stmt) bool {
		s.Exprs(func(top *ir.Expr) {
			p.usesBelow(top, nil, func(name *ir.Expr, above []*ir.Expr) bool {
				if name.Var == v && !p.staysAlone(fn, v, name, above) {
					p.lonely[v] = false
				}
				return name.Var == v
			})
		})
		return p.lonely[v]
	})
	return p.lonely[v]
}

// staysAlone reports whether one use of a variable's name gives nothing else a way to it.
func (p *sliceProof) staysAlone(fn *ir.Func, v *ir.Var, name *ir.Expr, above []*ir.Expr) bool {
	part, dims := name, len(v.Dims)
	for len(above) > 0 {
		up := above[len(above)-1]
		if up.Kids[0] != part || up.Op != ir.OpIndex && (up.Op != ir.OpMember || up.Arrow) {
			break
		}
		if up.Op == ir.OpIndex {
			dims--
		}
		part, above = up, above[:len(above)-1]
	}
	if len(above) == 0 {
		return dims <= 0
	}
	up := above[len(above)-1]
	switch up.Op {
	case ir.OpAddr, ir.OpInitList:
		return false
	case ir.OpSizeof:
		return true
	case ir.OpCall:
		i := slices.Index(up.Args(), part)
		callees := p.Kernel.Callees(fn, up)
		if i < 0 || len(callees) == 0 {
			return i >= 0 && dims <= 0 && up.Intrinsic().ByValue()
		}
		for _, c := range callees {
			switch {
			case i >= len(c.Params):
				return false
			case c.Params[i].Type.Ref:
				if !returnsNothing(c) || !p.alone(c, c.Params[i]) {
					return false
				}
			case dims > 0:
				return false
			}
		}
		return true
	}
	return dims <= 0 && !effect.IsOpaque(up.Op)
}
