package merge

import (
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/uniformity"
	"github.com/smux-cuda/smux/rewrite/kit"
)

// constant reports whether a declaration makes compile-time constants, which need no guard and may size arrays.
func (c *cutter) constant(s *ir.Stmt) bool {
	if is, known := c.constants[s]; known {
		return is
	}
	if c.constants == nil {
		c.constants = map[*ir.Stmt]bool{}
	}
	c.constants[s] = true // for its own variables, of which one may be made of another
	is := c.isConstant(s)
	c.constants[s] = is // constants are made of constants: each is asked for again and again
	return is
}

func (c *cutter) isConstant(s *ir.Stmt) bool {
	if s.Op != ir.StmtDecl || s.Macro {
		return false
	}
	return !slices.ContainsFunc(s.Vars, func(v *ir.Var) bool {
		return v.Kind != ir.VarLocal || !v.Type.Const || v.Type.Ref || v.Type.Ptr > 0 || len(v.Dims) > 0 || !c.compileTime(v.Init)
	})
}

func (c *cutter) compileTime(e *ir.Expr) bool {
	if e == nil {
		return false
	}
	switch e.Op {
	case ir.OpInt, ir.OpLiteral, ir.OpSizeof:
		return true
	case ir.OpIdent:
		if v := e.Var; v != nil {
			return v.Kind == ir.VarTemplateValue || v.Kind == ir.VarEnumerator || v.Decl != nil && c.constant(v.Decl)
		}
		return e.Name != "blockDim" && e.Name != "gridDim" && uniformity.Of(c.k(), c.fn, e) == analysis.GridUniform
	case ir.OpUnary, ir.OpBinary, ir.OpCond, ir.OpCast:
		return !slices.ContainsFunc(e.Kids, func(kid *ir.Expr) bool { return !c.compileTime(kid) })
	}
	return false
}

// sizes reports whether a declared constant sizes an array of the function, or is part of a type or of a constant
// that is used after an end.
func (c *cutter) sizes(s *ir.Stmt, end int) bool {
	found := false
	c.fn.Body.Walk(func(t *ir.Stmt) bool {
		if t != s && t.Parent == s.Parent && t.Op == ir.StmtDecl && t.AnyExpr(func(e *ir.Expr) bool { return e.Op == ir.OpIdent && e.Var != nil && e.Var.Decl == s }) {
			found = found || c.constant(t) && (c.usedAfter(c.fn, t, end) || c.sizes(t, end))
		}
		if t != s && (t.Op == ir.StmtEmpty || len(t.Names) > 0) {
			for _, v := range s.Vars {
				found = found || c.makesNames(t) && kit.MentionsAny(kit.Text(c.fn.File, t.Range), []string{v.Name})
			}
		}
		return !found
	})
	for _, v := range c.fn.Vars {
		for _, d := range v.Dims {
			d.Walk(func(e *ir.Expr) bool {
				found = found || e.Op == ir.OpIdent && e.Var != nil && e.Var.Decl == s
				return !found
			})
		}
	}
	return found
}
