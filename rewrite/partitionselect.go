package rewrite

import (
	"strings"

	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/analysis/ir"
)

// edit makes an access one to the private rows, the public ones, or either.
func (c *partition) edit(a *access) {
	if a.done {
		return
	}
	f := c.Kernel.File
	b := c.buffer(f)
	e := c.rowOf(a)
	side := c.side(a)
	if a.use.End > 0 {
		out, ok := c.one(a, e, side), true
		if side == 0 {
			out, ok = c.either(a, e)
		}
		if ok {
			b.Replace(a.use.Start, a.use.End, a.text[:a.nameAt]+out+a.text[a.tail:])
		}
		return
	}
	switch {
	case side < 0:
		b.Replace(a.name.Range.Start, a.name.Range.End, c.low)
	case side > 0:
		b.Replace(a.name.Range.Start, a.name.Range.End, c.high)
		c.subtract(b, e, a.begin+a.rowAt, a.begin+a.rowEnd)
	default:
		if out, ok := c.either(a, e); ok {
			b.Replace(a.name.Range.Start, a.begin+a.tail, out)
		}
	}
}

// side tells on which side all rows of an access lie: -1 private, 1 public, 0 for
// either. An access that no thread makes may be either.
func (c *partition) side(a *access) int {
	subs := c.subs[a.element]
	switch {
	case subs == nil || !subs[0].Known:
		return 0
	case subs[0].Max < int64(c.private):
		return -1
	case subs[0].Min >= int64(c.private):
		return 1
	}
	return 0
}

// one is the text of an access to one side.
func (c *partition) one(a *access, e *ir.Expr, side int) string {
	row, rest := a.text[a.rowAt:a.rowEnd], a.text[a.rowEnd+1:a.tail]
	if side < 0 {
		return c.low + "[" + row + "]" + rest
	}
	return c.high + "[" + minus(c.Kernel.File, e, row, c.private) + "]" + rest
}

// either is the text of an access whose row is compared when it is made: an
// lvalue of the array's element type, as the original is. The row is evaluated
// twice, so it must be the same both times and without effects.
func (c *partition) either(a *access, e *ir.Expr) (string, bool) {
	f := c.Kernel.File
	at := a.element.Range.Start
	for _, s := range subscripts(a.element) {
		if !c.Kernel.IsPure(c.Kernel.Func, s) || c.mentions(s) {
			c.refuse(f, at, CodePartition, "a subscript of %s has effects or reads it, and would be written twice", c.array.Name)
			return "", false
		}
	}
	if !c.steady(e) {
		c.refuse(f, at, CodePartition, "the row of %s is read from memory, which could change between a comparison and the access: give it a name first", c.array.Name)
		return "", false
	}
	if !oneLine(a.text[a.nameAt:a.tail]) {
		c.refuse(f, at, CodePartition, "an access to %s that must be written twice reaches over several lines or holds a comment", c.array.Name)
		return "", false
	}
	row := operand(f, e, strings.TrimSpace(a.text[a.rowAt:a.rowEnd]))
	return "(" + row + " < " + number(c.private) + " ? " + c.one(a, e, -1) + " : " + c.one(a, e, 1) + ")", true
}

func subscripts(element *ir.Expr) []*ir.Expr {
	var out []*ir.Expr
	for e := element; e.Op == ir.OpIndex; e = e.Kids[0] {
		out = append(out, e.Kids[1])
	}
	return out
}

func (c *partition) mentions(e *ir.Expr) bool {
	return e.Any(func(t *ir.Expr) bool { return c.Kernel.SharedVar(c.Kernel.Func, t) == c.array })
}

// steady reports whether an expression is made of registers and constants: two
// evaluations give the same.
func (c *partition) steady(e *ir.Expr) bool {
	k := c.Kernel
	steady := true
	e.Walk(func(t *ir.Expr) bool {
		switch t.Op {
		case ir.OpInt, ir.OpUnary, ir.OpBinary, ir.OpCond, ir.OpSizeof, ir.OpLiteral:
		case ir.OpCast:
			steady = steady && t.Type.Ptr == 0 && !t.Type.Ref
		case ir.OpCall:
			steady = steady && k.IsPureCall(k.Func, t) && t.Kids[0].Op == ir.OpIdent
			for _, arg := range t.Args() {
				steady = steady && c.steady(arg)
			}
			return false
		case ir.OpMember:
			// A component of a built-in variable, or of a local one.
			base := t.Kids[0]
			steady = steady && !t.Arrow && base.Op == ir.OpIdent && (base.Var != nil && c.steady(base) || base.Var == nil && intrinsic.IsMergedVariable(base.Name) && k.GlobalVar(k.Func, base.Name) == nil)
			return false
		case ir.OpIndex:
			base := t.Kids[0]
			steady = steady && base.Op == ir.OpIdent && base.Var != nil && base.Var.Kind == ir.VarLocal && len(base.Var.Dims) == 1 && !base.Var.Static
		case ir.OpIdent:
			v := t.Var
			if v == nil {
				v = k.GlobalVar(k.Func, t.Name)
			}
			switch {
			case v == nil, v.Type.Volatile, v.Kind == ir.VarShared, v.Kind == ir.VarGlobal && !v.Type.Const, v.Static, v.Type.Ref:
				steady = false
			}
		default:
			steady = false
		}
		return steady
	})
	return steady
}
