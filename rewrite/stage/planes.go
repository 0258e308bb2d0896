package stage

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/rewrite/kit"
)

// Planes that move along a loop:
//
//	for (int z = 1; z < d - 1; z++)
//	    … in[((z + k) * h + y + j) * w + x + i] …    for k, j, i of -1 to 1
//
// The tile holds the planes that an iteration reads, each with its border, and is a ring: plane p is at p % 3. Those
// before the first iteration's last are copied in front of the loop; each iteration copies one more, over the one that is
// read no more, and meets before it reads and after. With T iterations at a time there are T - 1 planes more.
//
// A plane's element is read if an iteration of the loop reads it, the first to the last, from the least offset of the loads
// that read such an element to the greatest: of a box whose offsets are low to high, those of the planes
// first + low to last + high. So the border of the plane after the last, which only the middle of a star is read of, is not
// copied (planes).

// checkPlanes is checkStaging of planes that move along a loop.
func checkPlanes(k *analysis.Kernel, opt kit.Options) (kit.Proof, []diag.Message) {
	return checkStagingOf(k, opt, readOn)
}

// shares reports whether threads of a block read the same elements of a plane: of columns that each
// has for itself registers are the place.
func (p *copyProof) shares(a *stagedArray) bool {
	dims := [3]bool{}
	for _, x := range a.axes {
		if !x.cut && (x.dim < 0 || x.low < x.high) {
			return true
		}
		if x.dim >= 0 {
			dims[x.dim] = true
		}
	}
	for d, n := range p.forms.shape {
		if n > 1 && !dims[d] {
			return true
		}
	}
	return false
}

// cutAxis is that of the loop that is cut.
func (a *stagedArray) cutAxis() int {
	return slices.IndexFunc(a.axes, func(x stagedAxis) bool { return x.cut })
}

// moves reports whether what an iteration of the loop that is cut reads is read in the next, too.
func (a *stagedArray) moves() bool {
	if a.cut == nil {
		return false
	}
	x := a.axes[a.cutAxis()]
	return x.step == 1 && x.low < x.high
}

// before counts the planes that are there before an iteration copies its own.
func (a *stagedArray) before() int {
	x := a.axes[a.cutAxis()]
	return x.high - x.low
}

// unmoved says why planes can't be kept from one iteration to the next, "" where they can or need not.
func (f *indexForms) unmoved(a *stagedArray) (why string) {
	l := a.cut
	switch {
	case !a.moves():
		return ""
	case a.cutAxis() != 0:
		return "the loop does not go along its slowest axis"
	case len(a.axes) < 2:
		return "it has no planes"
	case a.own:
		return "its loads have conditions of their own"
	case slices.ContainsFunc(a.loads, func(l *stagedLoad) bool { return len(l.choices)+len(l.places)+len(l.args) > 0 }):
		return "its loads choose their subscripts"
	case l.down || l.v.Type.Base != "int":
		return "its loop does not count up as int"
	case l.stmt.Parent == nil || l.stmt.Parent.Op != ir.StmtCompound:
		return "the loop stands in no braces"
	case !f.signedIn(a.model.subscript, f.symbols[l.v], -1): // a plane may lie before the first iteration's
		return "its subscript is not computed in int"
	}
	return ""
}

// copiedPlanes are the planes that a copy makes: those before the first iteration's own, or one for each iteration of a tile.
func (p *copyProof) copiedPlanes(a *stagedArray, tile loopTile) int {
	if tile.first {
		return a.before()
	}
	return p.tile
}

// planePositions are those of an element of so many planes, by number.
func (p *copyProof) planePositions(a *stagedArray, planes int, name func(string) string) (position []string, by share) {
	extents, n := []int{planes}, planes
	for _, x := range a.axes[1:] {
		extents = append(extents, p.extent(x))
		n *= p.extent(x)
	}
	i, by := byNumber(p.forms.shape, n, name)
	if planes == 1 {
		return append([]string{"0"}, subscriptsOf(extents[1:], i)...), by
	}
	return subscriptsOf(extents, i), by
}

// plane is the text of the number of the plane that a position is of, and more.
func (c *copyText) plane(position string, more int) string {
	x, l := c.a.axes[c.a.cutAxis()], c.a.cut
	from := c.tile.start
	switch {
	case !c.tile.first:
		more += x.high
	case l.known:
		from, more = "", more+int(l.first)+x.low
	default:
		more += x.low
	}
	if position == "0" {
		position = ""
	}
	sum := strings.Join(slices.DeleteFunc([]string{from, position}, func(s string) bool { return s == "" }), " + ")
	if sum == "" {
		return kit.Number(more)
	}
	return plus(sum, more)
}

// ringPlace is the text of where in the ring the plane is that lies n planes after that of an iteration, which is a sum
// of counters.
func (p *copyProof) ringPlace(a *stagedArray, iteration string, n int) string {
	l, x := a.cut, a.axes[a.cutAxis()]
	planes := p.extent(x)
	var sum string
	if l.known {
		sum = plus(iteration, n+max(0, -int(l.first)-x.low))
	} else {
		sum = plus(fmt.Sprintf("(unsigned)%s - %s", iteration, operandOfMinus(p, l.low)), n-x.low)
	}
	if strings.Contains(sum, " ") {
		sum = "(" + sum + ")"
	}
	return fmt.Sprintf("%s %% %du", sum, planes)
}

func operandOfMinus(p *copyProof, e *ir.Expr) string {
	return kit.Operand(p.Kernel.File, e, kit.Text(p.Kernel.File, e.Range))
}

// ringOf is the text of where in the ring a copy puts the plane of a position.
func (c *copyText) ringOf(position string) string {
	a, l := c.a, c.a.cut
	x := a.axes[a.cutAxis()]
	if !c.tile.first {
		iteration := c.tile.start
		if position != "0" {
			iteration += " + " + position
		}
		return c.p.ringPlace(a, iteration, x.high)
	}
	at := 0
	if l.known {
		at = max(0, int(l.first)+x.low) % c.p.extent(x)
	}
	switch {
	case position == "0":
		return kit.Number(at)
	case at == 0:
		return position
	}
	return fmt.Sprintf("(%s) %% %du", plus(position, at), c.p.extent(x))
}

// planes says of an element that lies in a box of offsets that an iteration reads its plane.
func (c *copyText) planes(box offsetBox) (out []string) {
	a := c.a
	if !a.moves() {
		return nil
	}
	i, l := a.cutAxis(), a.cut
	x, last := a.axes[i], a.axes[i].high
	at := func(offset int) string { return plus(c.variable(l.v), c.rep[i]-offset) }
	if c.tile.first {
		last--
		if box[i].low > x.low {
			out = append(out, at(box[i].low)+" >= "+kit.Text(c.file, l.low.Range))
		}
	}
	if box[i].high < last {
		out = append(out, at(box[i].high)+" "+l.stmt.Cond.Tok+" "+kit.Text(c.file, l.high.Range))
	}
	return out
}

// loopStays reports whether the loop of a place stays as it is, around the copies: each of its iterations is a tile.
func (w *copyEmitter) loopStays(place *copyPlace) bool {
	s := place.stmt
	return w.p.tile == 1 && place.arrays[0].moves() && !s.Any(func(t *ir.Stmt) bool { return t.Op == ir.StmtContinue && t.JumpTarget() == s })
}

// planesBefore are the lines that copy the planes before the first iteration's own.
func (w *copyEmitter) planesBefore(place *copyPlace) []string {
	return w.copies(place, loopTile{start: operandOfMinus(w.p, place.cut.low), first: true})
}

// aroundBody puts the copies of an iteration's planes, and the barriers, into the loop.
func (w *copyEmitter) aroundBody(place *copyPlace) {
	f, s := w.Of.File, place.stmt
	lines := append(w.copies(place, loopTile{start: place.cut.v.Name}), "__syncthreads();")
	flag := w.flagAt(place)
	w.InsertBefore(f, s.Outer.Start, w.planesBefore(place)...)
	if body := s.Body; flag == "" && body.Op == ir.StmtCompound {
		w.PinAtTop(f, body, lines)
		w.InsertBefore(f, kit.StmtEnd(f, body)-1, "    __syncthreads();")
		w.reads(place, "")
		return
	}
	indent := kit.IndentAt(f, s.Range.Start)
	nl := f.Newline() + indent + "    "
	head := kit.Text(f, ir.Range{Start: s.Range.Start, End: s.Post.Range.End}) + ") {" + nl + strings.Join(lines, nl) + nl
	if flag != "" {
		head += "if (" + flag + ") "
	}
	w.Buffer(f).Replace(s.Range.Start, s.Body.Outer.Start, head)
	w.indent(s.Body.Outer.Start, kit.StmtEnd(f, s), "    ")
	w.InsertAfter(f, kit.StmtEnd(f, s), s.Range.Start, "    __syncthreads();", "}")
	w.reads(place, "")
}
