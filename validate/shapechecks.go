package validate

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/validate/content"
	"github.com/smux-cuda/smux/validate/kit"
	"github.com/smux-cuda/smux/validate/units"
)

// shapeChecks are the comparisons of the block's shape that a kernel has, and the original hasn't.
func (c judge) shapeChecks(a, b *parser.Function) []*ir.Stmt {
	var said []string
	if a.Body != nil {
		said = lists.Map(kit.Statements(c.OldNames.Lower(c.Old.File, a).Body), func(s *ir.Stmt) string { return units.Text(c.Old.Between(s.Range.Start, s.Range.End)) })
	}
	return slices.DeleteFunc(kit.Statements(c.NewNames.Lower(c.New.File, b).Body), func(s *ir.Stmt) bool {
		return s.Op != ir.StmtIf || !kit.IsCheck(c.UnitsOf(s)) || slices.Contains(said, units.Text(c.UnitsOf(s)))
	})
}

// checksFit doubts the checks of a kernel that end a block of a launch in view, or ask for more than the block's shape and constants.
func (c judge) checksFit(k *Kernel, b *parser.Function, checks []*ir.Stmt) {
	if len(checks) == 0 {
		return
	}
	body, launched := c.NewNames.Lower(c.New.File, b), *c.Comparison
	if c.Prologue(body.Body) != nil { // blocks of the original, stacked
		launched.NewNames = c.OldNames
	}
	shapes, known := content.ShapesOf(&launched, k.Name)
	if !known {
		shapes = [][3]int{{}}
	}
	for _, s := range checks {
		for _, d := range shapes {
			n, settled, ok := c.checked(body, s.Cond, d)
			if !ok {
				k.Doubt(Launches, c.New.File, s.Range.Start, "this asks for more than the shape of the block")
				break
			}
			if settled && n != 0 {
				k.Doubt(Launches, c.New.File, s.Range.Start, "this ends blocks that the original has")
				break
			}
		}
	}
}

// checked evaluates what a kernel checks, in blocks of a shape, which is not known where it is zero. settled is false where that
// depends on template arguments or on the shape, ok where it depends on anything else.
func (c judge) checked(fn *ir.Func, e *ir.Expr, shape [3]int) (n int, settled, ok bool) {
	switch {
	case e.Op == ir.OpUnary && e.Tok == "!":
		n, settled, ok = c.checked(fn, e.Kids[0], shape)
		return truth(n == 0), settled, ok
	case e.Op == ir.OpBinary && slices.Contains([]string{"&&", "||", "==", "!=", "*"}, e.Tok):
		x, oneKnown, oneOk := c.checked(fn, e.Kids[0], shape)
		y, otherKnown, otherOk := c.checked(fn, e.Kids[1], shape)
		ok, settled = oneOk && otherOk, oneKnown && otherKnown
		switch e.Tok {
		case "&&":
			return truth(x != 0 && y != 0), settled || oneKnown && x == 0 || otherKnown && y == 0, ok
		case "||":
			return truth(oneKnown && x != 0 || otherKnown && y != 0), settled || oneKnown && x != 0 || otherKnown && y != 0, ok
		case "==":
			return truth(x == y), settled, ok
		case "!=":
			return truth(x != y), settled, ok
		}
		return x * y, settled, ok
	case e.Op == ir.OpMember && !e.Arrow && len(e.Name) == 1 && strings.Contains("xyz", e.Name):
		of := e.Kids[0]
		ok = of.Op == ir.OpIdent && of.Name == "blockDim" || of.Op == ir.OpMember && of.Name == "dim"
		axis := strings.Index("xyz", e.Name)
		return shape[axis], shape[axis] > 0, ok
	}
	if n, known := content.IntOf(c.Comparison, e); known {
		return n, true, true
	}
	r := e.Root()
	return 0, false, e.Op == ir.OpIdent && r != nil && (r.Var == nil || r.Var.Kind == ir.VarTemplateValue)
}

func truth(is bool) int {
	if is {
		return 1
	}
	return 0
}
