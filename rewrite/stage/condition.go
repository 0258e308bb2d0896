package stage

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/rewrite/kit"
)

// condition is the conjunction under which an element is copied, "" for none.
func (c *copyText) condition() string {
	var always []string
	if c.guard != "" {
		always = append(always, c.guard)
	}
	for _, g := range c.a.guards {
		switch {
		case g.needs != "":
			always = append(always, g.needs)
		case g.axis < 0 && g.where == nil:
			always = append(always, c.compare(g.condition, g.beside))
		case g.axis < 0:
			always = append(always, "("+c.outside(g.where)+" || "+c.compare(g.condition, g.beside)+")")
		}
	}
	if cut := c.a.cut; cut != nil && c.p.Async && c.p.divides(cut) {
		always = append(always, fmt.Sprintf("%s < %s", c.tile.start, kit.Operand(c.file, cut.high, kit.Text(c.file, cut.high.Range))))
	}
	if cut := c.a.cut; c.tile.first && cut.trips() == 0 {
		always = append(always, kit.Text(c.file, cut.low.Range)+" "+cut.stmt.Cond.Tok+" "+kit.Text(c.file, cut.high.Range))
	}
	if cut := c.a.cut; cut != nil && c.tile.length != "" && !c.p.divides(cut) {
		axis := c.a.cutAxis()
		at := c.position[axis]
		switch x := c.a.axes[axis]; {
		case x.isDense(): // read if the iteration is that has it
			at = times(operandOf(at)+" / "+kit.Number(x.step), x.step)
		case x.step > 1:
			at = times(at, x.step)
		case c.p.hasTail(c.a):
			at = plus(at, c.a.vector-1)
		}
		if !c.a.moves() || at != "0" { // the first is there
			always = append(always, at+" < "+c.tile.length)
		}
	}
	var either []string
	for _, box := range c.a.boxes {
		one := append(c.within(box), c.planes(box)...)
		for _, g := range c.a.guards {
			if g.axis >= 0 && g.needs == "" {
				beside := c.rep[g.axis] - box[g.axis].high
				if g.up {
					beside = c.rep[g.axis] - box[g.axis].low
				}
				one = append(one, c.compare(g.condition, &shift{c.a.axes[g.axis].dim, beside}))
			}
		}
		either = append(either, strings.Join(one, " && "))
	}
	switch {
	case slices.Contains(either, ""): // all of the tile lies in one
	case len(either) == 1:
		always = append(always, either[0])
	case len(always) == 0:
		always = append(always, strings.Join(either, " || "))
	default:
		always = append(always, "("+strings.Join(either, " || ")+")")
	}
	return strings.Join(slices.Compact(always), " && ")
}

// outside says that an element is none of a border.
func (c *copyText) outside(b *border) string {
	x := c.a.axes[b.axis]
	if b.behind {
		return fmt.Sprintf("%s < %d", c.position[b.axis], c.p.forms.shape[x.dim]-x.low)
	}
	return fmt.Sprintf("%s >= %d", c.position[b.axis], -x.low)
}

// within says that an element lies in one of several boxes.
func (c *copyText) within(box offsetBox) (out []string) {
	if len(c.a.boxes) == 1 {
		return nil
	}
	for i, x := range c.a.axes {
		first, n := box[i].low-x.low, box[i].high-box[i].low+1
		if x.dim >= 0 {
			n += c.p.forms.shape[x.dim] - 1
		}
		if x.cut {
			continue
		}
		if first > 0 {
			out = append(out, fmt.Sprintf("%s >= %d", c.position[i], first))
		}
		if first+n < c.p.extent(x) {
			out = append(out, fmt.Sprintf("%s < %d", c.position[i], first+n))
		}
	}
	return out
}

// shift is a number of threads along a dimension.
type shift struct{ dim, by int }

// compare is the text of a comparison that holds, for a thread beside that of the element.
func (c *copyText) compare(g condition, beside *shift) string {
	e := g.e
	if e.Op == ir.OpIdent { // a number that is 0 or not
		if g.holds {
			return c.inside(e, nil)
		}
		return "!" + c.inside(e, nil)
	}
	tok := e.Tok
	if !g.holds {
		tok = opposite[tok]
	}
	a, b := c.shifted(e.Kids[0], beside), c.shifted(e.Kids[1], beside)
	left, right := c.inside(e.Kids[0], nil), c.inside(e.Kids[1], nil)
	switch {
	case a == 0 && b == 0:
	case b == 0 && e.Kids[1].Op == ir.OpInt && e.Kids[1].Tok != "u":
		n := int(e.Kids[1].Int) - a
		if k := e.Kids[0]; k.Op == ir.OpBinary && !k.Macro && (k.Tok == "-" || k.Tok == "+") && k.Kids[1].Op == ir.OpInt && k.Kids[1].Tok != "u" {
			left = c.inside(k.Kids[0], k)
			if k.Tok == "-" {
				n += int(k.Kids[1].Int)
			} else {
				n -= int(k.Kids[1].Int)
			}
		}
		if tok == ">" && n == -1 {
			tok, n = ">=", 0
		}
		right = kit.Number(n)
	case b == 0 && a < 0 && e.Kids[1].Op == ir.OpBinary && e.Kids[1].Tok == "-" && e.Kids[1].Kids[1].Op == ir.OpInt && e.Kids[1].Kids[1].Int >= 0:
		less := min(int(e.Kids[1].Kids[1].Int), -a)
		left, right = plus(left, a+less), plus(c.inside(e.Kids[1].Kids[0], e.Kids[1]), less-int(e.Kids[1].Kids[1].Int))
	case b == 0 && a < 0 && e.Kids[0].Op == ir.OpBinary && e.Kids[0].Tok == "+" && e.Kids[0].Kids[1].Op == ir.OpInt && e.Kids[0].Kids[1].Int >= 0:
		left = plus(c.inside(e.Kids[0].Kids[0], e.Kids[0]), int(e.Kids[0].Kids[1].Int)+a)
	default:
		left, right = plus(left, a), plus(right, b)
	}
	return left + " " + tok + " " + right
}

// shifted is by how much an operand of a comparison differs for a thread beside the element's.
func (c *copyText) shifted(e *ir.Expr, beside *shift) int {
	if beside == nil {
		return 0
	}
	coef, _, _ := c.p.forms.of(e).Linear(c.p.forms.threads[beside.dim])
	n, _ := coef.Constant()
	return int(n) * beside.by
}
