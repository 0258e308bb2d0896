package stage

import (
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/polynomial"
)

// An array whose rows lie at multiples of a vector, and are read in whole vectors:
//
//	                                        __shared__ __align__(16) float x_tile[64];
//	                                        …
//	                                        if (threadIdx.x * 4 + 3 < k_len)
//	x_tile[threadIdx.x] = x[k];      -->        *reinterpret_cast<float4 *>(&x_tile[threadIdx.x * 4]) = *reinterpret_cast<const float4 *>(&x[k]);
//
// A vector is read whose elements are all read one by one; what is left at the end of the loop is copied
// as before. That it lies where the hardware wants it rests on three things: the array is what cudaMalloc
// returned, in all launches; where the tile's first element lies after that is a multiple, whatever the
// values of the variables; and so is the distance of its rows.

// mostVector is the bytes of the widest load of a thread.
const mostVector = 16

// widen has an array copied by as many elements at a time as are asked for; where that can't be proved
// it says why, and the array is copied element by element.
func (p *copyProof) widen(a *stagedArray) {
	if p.Vector < 2 {
		return
	}
	a.vector = p.Vector
	if why := p.unaligned(a); why != "" {
		a.vector = 0
		p.narrow = append(p.narrow, fmt.Sprintf("%s: %s", a.v.Name, why))
	}
}

// unaligned says why an array can't be copied in vectors, "" where it can.
func (p *copyProof) unaligned(a *stagedArray) (why string) {
	n, f := int64(a.vector), p.forms
	last := a.axes[len(a.axes)-1]
	one, isNumber := last.stride.Constant()
	l := a.model
	at := l.whole
	if at.Op == ir.OpCall && len(at.Args()) == 1 && at.Args()[0].Op == ir.OpAddr {
		at = at.Args()[0].Kids[0] // __ldg(&…)
	}
	switch {
	case ir.VectorStem(a.v.Type.Base) == "" || a.elem*a.vector > mostVector:
		return fmt.Sprintf("no load is as wide as %d elements", n)
	case at.Op != ir.OpIndex || len(l.args)+len(l.places) > 0:
		return "the elements are not read by subscripts, or a subscript chooses"
	case !isNumber || one != 1:
		return "the last axis of the tile is not that along which elements lie side by side"
	case last.cut && (a.cut.down || last.step > 1) || (last.dim >= 0 || last.cut) && last.high != last.low:
		return "elements of a row are read from an offset on, or not one by one upwards"
	case a.own || len(a.boxes) > 1:
		return "elements of a row are read under conditions of their own"
	case a.moves():
		return "its planes move on with the loop"
	case p.Async && a.cut != nil:
		return "what is copied ahead goes element by element"
	case p.Pad > 0 && int64(p.Pad)%n != 0:
		return fmt.Sprintf("--pad %d is no multiple of %d", p.Pad, n)
	case int64(p.extent(last))%n != 0:
		return fmt.Sprintf("a row of the tile has %d elements, no multiple of %d", p.extent(last), n)
	}
	first := a.base
	for _, x := range a.axes {
		first = first.Plus(x.stride.Times(polynomial.Number(int64(x.low))))
		if x.stride.Equal(last.stride) {
			continue
		}
		if !x.stride.IsMultipleOf(n) {
			return fmt.Sprintf("can't prove that rows lie a multiple of %d elements apart", n)
		}
	}
	if a.cut != nil {
		first = first.Plus(f.of(a.cut.low))
	}
	if !first.IsMultipleOf(n) {
		return fmt.Sprintf("can't prove that a row begins at a multiple of %d elements", n)
	}
	for _, g := range a.guards {
		if g.needs == "" && !p.wholeVectors(a, g, n) {
			return fmt.Sprintf("a condition may hold for some of %d elements", n)
		}
	}
	return ""
}

// wholeVectors reports whether a guard holds for all elements of a vector or for none: it says nothing of
// where along the row they lie, or that they lie before, or from, a multiple on.
func (p *copyProof) wholeVectors(a *stagedArray, g guard, n int64) bool {
	f, last := p.forms, a.axes[len(a.axes)-1]
	var along *polynomial.Symbol
	switch {
	case last.cut:
		along = f.symbols[a.cut.v]
	case last.dim >= 0:
		along = f.threads[last.dim]
	}
	cs, ok := f.comparisons([]condition{g.condition})
	if !ok {
		return false
	}
	for _, c := range cs {
		if along == nil && slices.ContainsFunc(a.counters(last), func(l *countedLoop) bool { return c.form.Has(f.isCounter(l)) }) {
			return false
		}
		if along == nil || !c.form.Has(isSymbol(along)) {
			continue
		}
		coef, rest, linear := c.form.Linear(along)
		by, is := coef.Constant()
		switch {
		case !linear || !is || !c.exact || g.axis >= 0 || last.cut && !f.of(a.cut.low).IsMultipleOf(n):
			return false
		case by == 1 && rest.IsMultipleOf(n): // from -rest on
		case by == -1 && rest.Plus(polynomial.Number(1)).IsMultipleOf(n): // up to rest
		default:
			return false
		}
	}
	return true
}

// alongRow reports whether a variable's value depends on where along its row an element lies.
func (p *copyProof) alongRow(a *stagedArray, v *ir.Var) bool {
	f, last := p.forms, a.axes[len(a.axes)-1]
	form := f.of(v.Init)
	return form.IsLost() || last.dim >= 0 && form.Has(isSymbol(f.threads[last.dim])) ||
		slices.ContainsFunc(a.counters(last), func(l *countedLoop) bool { return form.Has(f.isCounter(l)) })
}

// evenEnd reports whether the last tile of the loop that is cut has whole vectors.
func (p *copyProof) evenEnd(a *stagedArray) bool {
	l := a.cut
	return p.divides(l) || !l.inclusive && p.forms.of(l.high).Minus(p.forms.of(l.low)).IsMultipleOf(int64(a.vector))
}

// hasTail reports whether elements are left over after the vectors of a tile.
func (p *copyProof) hasTail(a *stagedArray) bool {
	return a.vector > 0 && a.axes[len(a.axes)-1].cut && !p.evenEnd(a)
}

// copyExtents are the extents of what is copied at a time: elements, or vectors of a row.
func (p *copyProof) copyExtents(a *stagedArray) (out []int) {
	for i, x := range a.axes {
		n := p.extent(x)
		if i == len(a.axes)-1 && a.vector > 0 {
			n /= a.vector
		}
		out = append(out, n)
	}
	return out
}

// asVector is an element as the vector that begins there.
func (a *stagedArray) asVector(element, qualifier string) string {
	return fmt.Sprintf("*reinterpret_cast<%s%s%d *>(&%s)", qualifier, ir.VectorStem(a.v.Type.Base), a.vector, element)
}

// vectorStore is the copy of a vector, and tail that of what is left of it where its last element is none.
func (w *copyEmitter) vectorStore(place *copyPlace, a *stagedArray, c *copyText, tile loopTile, to string) (store string, tail []string) {
	load := a.model.whole
	text := c.text(load)
	if load.Op == ir.OpCall { // __ldg(&…)
		element := c.text(load.Args()[0].Kids[0])
		text = "__ldg(" + a.asVector(element, "const ")[1:] + ")"
	} else {
		text = a.asVector(text, "const ")
	}
	store = a.asVector(to, "") + " = " + text + ";"
	if !w.p.hasTail(a) {
		return store, nil
	}
	first := c.position[len(c.position)-1]
	i := w.passing("i")
	position := slices.Clone(c.position)
	position[len(position)-1] = i
	narrow := *a
	narrow.vector = 0
	one := newCopyText(w.p, place, &narrow, position, tile, w.passing)
	for v, name := range c.names { // what is not about the row has the value that it has
		if _, counts := one.counter[v]; !counts && !w.p.alongRow(a, v) {
			one.names[v] = name
		}
	}
	condition, element := one.condition(), one.text(load)
	rest := &elementCopy{
		head:      fmt.Sprintf("for (unsigned %s = %s; %s < %s; %s++) {", i, first, i, plus(first, a.vector-1), i),
		condition: condition, declared: one.declared, stores: []string{a.tile + subscriptsText(position) + " = " + element + ";"},
	}
	return store, rest.Lines()
}

// subscriptsText are subscripts in brackets.
func subscriptsText(position []string) (out string) {
	for _, at := range position {
		out += "[" + at + "]"
	}
	return out
}
