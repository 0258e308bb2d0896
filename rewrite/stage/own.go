package stage

import (
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/polynomial"
	"github.com/smux-cuda/smux/internal/lists"
)

// An array whose loads run under conditions of their own:
//
//	float left = x > 0 ? a[x - 1] : 0, right = x < n - 1 ? a[x + 1] : 0;
//	b[x] = left + a[x] + right;
//
// Which elements are copied is said by conditions of the loads, each written for the element
// instead of the thread (a[x - 1] with x > 0 says that the element is not before 0), such that
//
//   - every element that a load of the block reads is copied: what a guard says follows from
//     the conditions of each load that may read such an element;
//   - every element that is copied is read by some thread of the grid: the tile is parted along
//     each axis into what lies before the block's own elements, these, and what lies after, and
//     for each part there is one load for which the guards say that a thread reads it so.
//
// Both are proved in the element's number along each axis, for which the symbol of threadIdx
// stands: the thread that reads it by a load is that less the load's offset.

// ownLoad is a load with its conditions, in the number of the element that it reads.
type ownLoad struct {
	*stagedLoad
	under []comparison // of the thread
	facts polynomial.Facts
	// whole is set if under is all of its conditions.
	whole bool
}

// border is the elements of a tile before or after the block's own, along an axis.
type border struct {
	axis   int
	behind bool
}

// ownGuard is a guard with what it says of the element.
type ownGuard struct {
	guard
	form polynomial.Polynomial
}

// ownCell is a part of a tile: the elements between two numbers along each axis.
type ownCell struct {
	low, high []int
	sides     []int // -1 before the block's own, 1 after
}

// owning finds the guards of an array whose loads have conditions of their own; why says what is in the way.
func (f *indexForms) owning(a *stagedArray) (out []guard, why string) {
	var loads []*ownLoad
	for _, l := range a.loads {
		o, why := f.ownLoadOf(a, l)
		if why != "" {
			return nil, why
		}
		loads = append(loads, o)
	}
	cells, ok := f.cellsOf(a)
	if !ok {
		return nil, "its loads lie farther apart than a thread block is large"
	}
	all := f.ownGuards(a, loads, cells)
	safe := func(gs []ownGuard) bool {
		return !slices.ContainsFunc(cells, func(c ownCell) bool { return !f.isRead(a, loads, gs, c) })
	}
	if !safe(all) {
		return nil, "the conditions of its loads don't prove that all of its elements in a tile are read"
	}
	for i := len(all) - 1; i >= 0; i-- {
		if less := slices.Delete(slices.Clone(all), i, i+1); safe(less) {
			all = less
		}
	}
	out = lists.Map(all, func(g ownGuard) guard { return g.guard })
	return out, ""
}

// along returns the threadIdx of an axis.
func (f *indexForms) along(x stagedAxis) *polynomial.Symbol { return f.threads[x.dim] }

// ofElement writes what is said of a thread for the element that it reads by a load.
func (f *indexForms) ofElement(a *stagedArray, l *stagedLoad, p polynomial.Polynomial) polynomial.Polynomial {
	for i, x := range a.axes {
		if x.dim < 0 {
			continue
		}
		if coef, _, ok := p.Linear(f.along(x)); ok {
			p = p.Minus(coef.Times(polynomial.Number(l.offsets[i])))
		} else {
			return polynomial.Lost()
		}
	}
	return p
}

// ownLoadOf takes a load's conditions apart. A condition that is no comparison says nothing of
// the element, and the load proves of none that it is read.
func (f *indexForms) ownLoadOf(a *stagedArray, l *stagedLoad) (o *ownLoad, why string) {
	f.chosen = l.chosen
	defer func() { f.chosen = nil }()
	o = &ownLoad{stagedLoad: l, whole: true}
	for _, x := range a.axes {
		if x.dim >= 0 {
			t := polynomial.Of(f.along(x))
			o.facts = append(o.facts, f.ofElement(a, l, t), f.ofElement(a, l, polynomial.Number(int64(f.shape[x.dim]-1)).Minus(t)))
		} else if !x.cut {
			return nil, "its loads differ along an axis that no thread number has"
		}
	}
	if cut := a.cut; cut != nil && cut.known && !cut.down {
		o.facts = append(o.facts, polynomial.Of(f.symbols[cut.v]).Minus(polynomial.Number(cut.first)))
	}
	for _, c := range parted(l.conds) {
		cs, ok := f.comparisons([]condition{c})
		if !ok {
			o.whole = false
			continue
		}
		for _, c := range cs {
			if c.same {
				c = f.sided(c, l)
			}
			if !c.exact && !c.same {
				o.whole = false
				continue
			}
			if f.aboutAbsent(a, c) {
				o.whole = false
			}
			form := f.ofElement(a, l, c.form)
			if form.IsLost() {
				o.whole = false
				continue
			}
			o.under = append(o.under, c)
			o.facts = append(o.facts, form)
			if c.same { // not more than 0, either
				o.facts = append(o.facts, polynomial.Number(0).Minus(form))
			}
		}
	}
	return o, ""
}

// parted splits conditions at && and ||, where all parts are known to hold or not to.
func parted(conds []condition) (out []condition) {
	for _, c := range conds {
		switch e := c.e; {
		case e.Op == ir.OpUnary && e.Tok == "!" && !e.Macro:
			out = append(out, parted([]condition{{e.Kids[0], !c.holds}})...)
		case e.Op == ir.OpBinary && !e.Macro && (e.Tok == "&&" && c.holds || e.Tok == "||" && !c.holds):
			out = append(out, parted([]condition{{e.Kids[0], c.holds}, {e.Kids[1], c.holds}})...)
		default:
			out = append(out, c)
		}
	}
	return out
}

// aboutAbsent reports whether a comparison has the number of a thread along a dimension that no
// axis has: it tells threads apart that read the same element.
func (f *indexForms) aboutAbsent(a *stagedArray, c comparison) bool {
	for d, t := range f.threads {
		if c.form.Has(isSymbol(t)) && !slices.ContainsFunc(a.axes, func(x stagedAxis) bool { return x.dim == d }) {
			return true
		}
	}
	return false
}

// sided writes x != 0 as x > 0 where x is the number of a thread, or more generally what a
// thread's number and the load's other conditions say is not negative. same stays set, and
// exact is false, where it is an ==; where it says nothing both are false.
func (f *indexForms) sided(c comparison, l *stagedLoad) comparison {
	tok := c.e.Tok
	if c.e.Op != ir.OpBinary || !isSigned(c.e.Kids[0]) || !isSigned(c.e.Kids[1]) {
		c.same, c.exact = false, false
		return c
	}
	if !c.holds {
		tok = opposite[tok]
	}
	if tok == "==" {
		return c
	}
	c.same = false
	facts := f.threadFacts(parted(l.conds))
	switch one := polynomial.Number(1); {
	case facts.NonNegative(c.form):
		c.form, c.exact, tok = c.form.Minus(one), true, ">"
	case facts.NonNegative(polynomial.Number(0).Minus(c.form)):
		c.form, c.exact, tok = polynomial.Number(0).Minus(c.form).Minus(one), true, "<"
	}
	c.condition = condition{&ir.Expr{Op: ir.OpBinary, Tok: tok, Kids: c.e.Kids, Range: c.e.Range}, true}
	return c
}

// cellsOf parts the boxes of a tile into cells; ok is false where one is farther from the block's
// elements than there are threads.
func (f *indexForms) cellsOf(a *stagedArray) (out []ownCell, ok bool) {
	for _, box := range a.boxes {
		cells := []ownCell{{}}
		for i, x := range a.axes {
			var spans []span
			var sides []int
			add := func(low, high, side int) {
				if low <= high {
					spans, sides = append(spans, span{low, high}), append(sides, side)
				}
			}
			if x.dim < 0 {
				add(0, 0, 0)
			} else {
				n, b := f.shape[x.dim], box[i]
				if b.high-b.low > n || -b.low > n || b.high > n {
					return nil, false
				}
				add(b.low, min(-1, b.high+n-1), -1)
				add(max(0, b.low), min(n-1, b.high+n-1), 0)
				add(max(n, b.low), b.high+n-1, 1)
			}
			var next []ownCell
			for _, c := range cells {
				for j, s := range spans {
					next = append(next, ownCell{append(slices.Clone(c.low), s.low), append(slices.Clone(c.high), s.high), append(slices.Clone(c.sides), sides[j])})
				}
			}
			cells = next
		}
		out = append(out, cells...)
	}
	return out, true
}

// reaches reports whether a load of the block may read an element of a cell.
func (f *indexForms) reaches(a *stagedArray, l *ownLoad, c ownCell) bool {
	for i, x := range a.axes {
		if x.dim < 0 {
			continue
		}
		if first := int(l.offsets[i]); first > c.high[i] || first+f.shape[x.dim]-1 < c.low[i] {
			return false
		}
	}
	return true
}

// bounds are a cell's numbers as facts.
func (f *indexForms) bounds(a *stagedArray, c ownCell) (facts polynomial.Facts) {
	for i, x := range a.axes {
		if x.dim >= 0 {
			e := polynomial.Of(f.along(x))
			facts = append(facts, e.Minus(polynomial.Number(int64(c.low[i]))), polynomial.Number(int64(c.high[i])).Minus(e))
		}
	}
	return facts
}

// ownGuards are the conditions of the loads that hold for all elements that are read, in the
// whole tile or along a border of it.
func (f *indexForms) ownGuards(a *stagedArray, loads []*ownLoad, cells []ownCell) (out []ownGuard) {
	var all []ownGuard
	wheres := []*border{nil}
	for i, x := range a.axes {
		if x.dim >= 0 {
			wheres = append(wheres, &border{i, false}, &border{i, true})
		}
	}
	for _, where := range wheres {
		if where != nil && !slices.ContainsFunc(cells, where.has) {
			continue
		}
		for _, l := range loads {
			for _, c := range l.under {
				if c.same || f.aboutAbsent(a, c) {
					continue
				}
				beside, ok := f.besideModel(a, l.stagedLoad, c)
				g := ownGuard{guard{condition: c.condition, axis: -1, beside: beside, where: where}, f.ofElement(a, l.stagedLoad, c.form)}
				if ok {
					all = append(all, g)
				}
			}
		}
	}
	slices.SortStableFunc(all, func(x, y ownGuard) int { return x.order() - y.order() })
	for _, g := range all {
		said := func(o ownGuard) bool { return o.form.Equal(g.form) && (o.where == nil || o.where == g.where) }
		if !slices.ContainsFunc(out, said) && f.holdsForAll(a, loads, g, cells) {
			out = append(out, g)
		}
	}
	return out
}

// order puts first what need be said everywhere, and of that what is said as it stands.
func (g ownGuard) order() (n int) {
	if g.where != nil {
		n += 2
	}
	if g.beside != nil {
		n++
	}
	return n
}

func (b *border) has(c ownCell) bool {
	return b == nil || b.behind && c.sides[b.axis] > 0 || !b.behind && c.sides[b.axis] < 0
}

// besideModel is by how much the thread that a condition is about differs from the one that the
// model's text is about; ok is false where that is no one number.
func (f *indexForms) besideModel(a *stagedArray, l *stagedLoad, c comparison) (out *shift, ok bool) {
	for i, x := range a.axes {
		if x.dim < 0 || !c.form.Has(isSymbol(f.along(x))) {
			continue
		}
		for _, side := range c.e.Kids {
			if f.of(side).IsLost() { // by what the load chooses
				return nil, false
			}
		}
		by := a.model.offsets[i] - l.offsets[i]
		if by == 0 {
			continue
		}
		if coef, _, _ := c.form.Linear(f.along(x)); out != nil || !f.isOne(coef) {
			return nil, false
		}
		for _, side := range c.e.Kids {
			if coef, _, linear := f.of(side).Linear(f.along(x)); !linear || !f.isOne(coef) && !isZero(coef) {
				return nil, false
			}
		}
		out = &shift{x.dim, int(by)}
	}
	return out, true
}

func (f *indexForms) isOne(p polynomial.Polynomial) bool {
	n, is := p.Constant()
	return is && (n == 1 || n == -1)
}

func isZero(p polynomial.Polynomial) bool {
	n, is := p.Constant()
	return is && n == 0
}

// holdsForAll reports whether a guard holds for all elements that any load reads where it is asked.
func (f *indexForms) holdsForAll(a *stagedArray, loads []*ownLoad, g ownGuard, cells []ownCell) bool {
	for _, c := range cells {
		if !g.where.has(c) {
			continue
		}
		for _, l := range loads {
			if f.reaches(a, l, c) && !slices.Concat(f.bounds(a, c), l.facts).NonNegative(g.form) {
				return false
			}
		}
	}
	return true
}

// isRead reports whether the guards say of each element of a cell that some thread of the grid
// reads it, by one load for all.
func (f *indexForms) isRead(a *stagedArray, loads []*ownLoad, gs []ownGuard, c ownCell) bool {
	facts := f.bounds(a, c)
	for _, g := range gs {
		if g.where.has(c) {
			facts = append(facts, g.form)
		}
	}
	return slices.ContainsFunc(loads, func(l *ownLoad) bool {
		return l.whole && f.hasThread(a, l, c, facts) && !slices.ContainsFunc(l.under, func(one comparison) bool {
			form := f.ofElement(a, l.stagedLoad, one.form)
			return !facts.NonNegative(form) || one.same && !facts.NonNegative(polynomial.Number(0).Minus(form))
		})
	})
}

// hasThread reports whether the thread that reads an element of a cell by a load is one of the
// grid: of the block, or of one before it.
func (f *indexForms) hasThread(a *stagedArray, l *ownLoad, c ownCell, facts polynomial.Facts) bool {
	for i, x := range a.axes {
		if x.dim < 0 {
			continue
		}
		first, last := c.low[i]-int(l.offsets[i]), c.high[i]-int(l.offsets[i])
		if last > f.shape[x.dim]-1 {
			return false
		}
		if first >= 0 {
			continue
		}
		number := f.inGrid(x.dim).Minus(polynomial.Number(l.offsets[i]))
		if !facts.NonNegative(number) || !f.alikeInGrid(x.dim, a.base.Plus(polynomial.Of(f.along(x)).Times(x.stride))) ||
			slices.ContainsFunc(l.under, func(c comparison) bool { return !f.alikeInGrid(x.dim, c.form) }) {
			return false
		}
	}
	return true
}

// inGrid is the number of a thread in the grid along a dimension.
func (f *indexForms) inGrid(d int) polynomial.Polynomial {
	return polynomial.Of(f.threads[d]).Plus(f.block(d).Times(polynomial.Number(int64(f.shape[d]))))
}

func (f *indexForms) block(d int) polynomial.Polynomial {
	if s := f.roundOf[d]; s != nil {
		return polynomial.Of(s)
	}
	name := "blockIdx." + "xyz"[d:d+1]
	return polynomial.Of(f.symbol(name, name, 0))
}

// alikeInGrid reports whether a form depends on a thread's number in the grid along a dimension,
// and not on which block it is of.
func (f *indexForms) alikeInGrid(d int, p polynomial.Polynomial) bool {
	block := f.block(d)
	one, rest, ok := p.Linear(f.threads[d])
	var ofBlock *polynomial.Symbol
	block.Symbols(func(s *polynomial.Symbol) { ofBlock = s })
	many, _, ok2 := rest.Linear(ofBlock)
	if real := f.symbols["blockIdx."+"xyz"[d:d+1]]; f.roundOf[d] != nil && real != nil && p.Has(isSymbol(real)) {
		return false // rounds of one thread block differ in what it has not
	}
	return ok && ok2 && many.Equal(one.Times(polynomial.Number(int64(f.shape[d])))) && !p.Has(f.differsByBlock)
}

// differsByBlock reports whether a symbol is a variable that may have another value in each block.
func (f *indexForms) differsByBlock(s *polynomial.Symbol) bool {
	v := f.vars[s]
	return v != nil && v.Kind == ir.VarLocal && !f.counted[v] && !f.isRound(v) && evaluate.VarUniformity(f.k, v) > analysis.GridUniform
}
