package merge

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/rewrite/kit"
)

// access makes an access one to the private rows, the public ones, or either.
func (w *partitionWriter) access(a *access) {
	b := w.Buffer(w.Kernel.File)
	e := a.row()
	switch {
	case a.use.End > 0:
		b.Replace(a.use.Start, a.use.End, a.text[:a.nameAt]+w.side(a, a.side)+a.text[a.tail:])
	case a.side < 0:
		b.Replace(a.name.Range.Start, a.name.Range.End, w.low)
	case a.side > 0:
		b.Replace(a.name.Range.Start, a.name.Range.End, w.high)
		w.proof.subtract(b, e, a.begin+a.rowAt, a.begin+a.rowEnd)
	default:
		b.Replace(a.name.Range.Start, a.begin+a.tail, w.side(a, 0))
	}
}

// sideOf tells on which side all rows of an access lie: -1 private, 1 public, 0 for
// either. An access that no thread makes may be either.
func (c *partition) sideOf(element *ir.Expr) int {
	subs := c.subs[element]
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

// side is the text of an access to one side. That to either compares the row when it is
// made, and is an lvalue of the array's element type, as the original is.
func (w *partitionWriter) side(a *access, side int) string {
	row, rest := a.text[a.rowAt:a.rowEnd], a.text[a.rowEnd+1:a.tail]
	switch {
	case side < 0:
		return w.low + "[" + row + "]" + rest
	case side > 0:
		return w.high + "[" + kit.Minus(w.Kernel.File, a.row(), row, w.proof.private) + "]" + rest
	}
	return "(" + w.rowText(a) + " < " + kit.Number(w.proof.private) + " ? " + w.side(a, -1) + " : " + w.side(a, 1) + ")"
}

// rowText is the first subscript of an access, as an operand.
func (w *partitionWriter) rowText(a *access) string {
	return kit.Operand(w.Kernel.File, a.row(), strings.TrimSpace(a.text[a.rowAt:a.rowEnd]))
}

// checkEither proves that the row of an access can be evaluated twice: it is the same both times and has no effects.
func (c *partition) checkEither(a *access) {
	refuse := func(why string) {
		c.Refuse(c.Kernel.File, a.element.Range.Start, CodePartition, why, c.array.Name)
	}
	again := func(s *ir.Expr) bool {
		return c.Kernel.IsPure(c.Kernel.Func, s) && !s.Any(func(t *ir.Expr) bool { return evaluate.SharedVar(c.Kernel, c.Kernel.Func, t) == c.array })
	}
	switch {
	case slices.ContainsFunc(kit.Subscripts(a.element), func(s *ir.Expr) bool { return !again(s) }):
		refuse("a subscript of %s has effects or reads it, and would be written twice")
	case !(c.Kernel.IsPure(c.Kernel.Func, a.row()) && c.Kernel.Effect(c.Kernel.Func, a.row()).Steady()):
		refuse("the row of %s is read from memory, which could change between a comparison and the access: give it a name first")
	case !kit.OneLine(a.text[a.nameAt:a.tail]):
		refuse("an access to %s that must be written twice reaches over several lines or holds a comment")
	}
}
