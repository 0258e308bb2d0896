package stage

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/polynomial"
)

// stagedAxis is one dimension of a tile: subscripts grow by stride from one of its elements
// to the next. An element's number along it is
//
//	threadIdx + counters of short loops + an offset
//
// or, along the loop that is cut, the loop's counter, from the tile's first iteration on, and an
// offset that is less than the loop's step, or that the planes differ by which move along it.
type stagedAxis struct {
	stride polynomial.Polynomial
	dim    int // of threadIdx, -1 for none
	cut    bool
	step   int // by which the loop that is cut counts
	// low and high are the least and the largest number, without threadIdx and the counter
	// of the loop that is cut. Where that counts by more than one and reads all elements up to
	// the next iteration's (isDense) these are 0 to step-1 after the least.
	low, high int
}

// isDense reports whether all elements between those of two iterations of the loop that is cut are
// in the tile; else it has those alone that the counter's values name.
func (x stagedAxis) isDense() bool { return x.cut && x.step > 1 && x.high > x.low }

// stagedArray is an array of which a thread block copies what it reads into shared memory.
type stagedArray struct {
	v     *ir.Var
	loads []*stagedLoad // of one pattern; others stay as they are
	cut   *countedLoop  // the loop that is cut into tiles, nil for none
	axes  []stagedAxis  // the slowest first
	base  polynomial.Polynomial
	elem  int // bytes of an element, 0 if unknown or it is an object that is made

	own    bool        // the loads have conditions of their own
	model  *stagedLoad // whose text the copy has
	guards []guard     // under which an element is copied
	ends   [3]end      // which thread stands for those of a dimension that no axis has
	boxes  []offsetBox // of the loads' elements around a thread's own
	tile   string      // the name of the copy
	vector int         // elements that are copied at a time, 0 for one
}

// mostShort is the largest number of iterations of a loop that is not cut but staged as a whole.
const mostShort = 64

// patterns groups the loads of an array by pattern: those whose subscripts differ by numbers of
// elements along the axes.
func (f *indexForms) patterns(v *ir.Var, loads []*stagedLoad) (out []*stagedArray) {
	for _, l := range loads {
		a := f.patternOf(v, l)
		if a == nil {
			continue
		}
		if !slices.ContainsFunc(out, func(o *stagedArray) bool { return f.joins(o, a) }) {
			out = append(out, a)
		}
	}
	var grouped []*stagedArray
	for _, a := range out {
		grouped = append(grouped, a.groups()...)
	}
	return grouped
}

// groups parts the loads of a pattern by the conditions under which they run. With those of a group go the loads
// under more conditions that read nothing else: what they read is copied anyway.
func (a *stagedArray) groups() (out []*stagedArray) {
	for i, l := range a.loads {
		if len(l.choices) > 0 || slices.ContainsFunc(a.loads[:i], func(o *stagedLoad) bool { return sameConditions(l.conds, o.conds) }) {
			continue
		}
		one := *a
		one.axes, one.loads = slices.Clone(a.axes), nil
		for _, o := range a.loads {
			if len(o.choices) == 0 && sameConditions(l.conds, o.conds) {
				one.loads = append(one.loads, o)
			}
		}
		boxes, _ := one.boxesOf()
		for _, o := range a.loads {
			own := one.boxOf(o)
			if len(o.choices) == 0 && !sameConditions(l.conds, o.conds) && underMore(l.conds, o.conds) && slices.ContainsFunc(boxes, func(b offsetBox) bool { return b.holds(own) }) {
				one.loads = append(one.loads, o)
			}
		}
		one.limit()
		out = append(out, &one)
	}
	if chooses := slices.ContainsFunc(a.loads, func(l *stagedLoad) bool { return len(l.choices) > 0 }); len(out) > 1 || chooses {
		out = append(out, a.ownGroup())
	}
	return out
}

// ownGroup is all loads of a pattern, whatever their conditions, around the one in the middle.
func (a *stagedArray) ownGroup() *stagedArray {
	one := *a
	one.axes, one.own, one.loads = slices.Clone(a.axes), true, nil
	for _, l := range a.loads {
		if !a.hasCounters(l) {
			l := *l
			l.offsets = slices.Clone(l.offsets)
			one.loads = append(one.loads, &l)
		}
	}
	one.loads = complete(one.loads)
	if len(one.loads) == 0 {
		return &one
	}
	reach := func(from *stagedLoad) (most int64) {
		for _, l := range one.loads {
			for i, o := range l.offsets {
				most = max(most, o-from.offsets[i], from.offsets[i]-o)
			}
		}
		return most
	}
	middle := slices.Clone(slices.MinFunc(one.loads, func(x, y *stagedLoad) int { return int(reach(x) - reach(y)) }).offsets)
	for i, by := range middle {
		one.base = one.base.Plus(one.axes[i].stride.Times(polynomial.Number(by)))
		for _, l := range one.loads {
			l.offsets[i] -= by
		}
	}
	one.limit()
	return &one
}

// hasCounters reports whether counters of loops that are not cut are in a load's subscript.
func (a *stagedArray) hasCounters(l *stagedLoad) bool {
	return slices.ContainsFunc(l.along, func(loops []*countedLoop) bool {
		return slices.ContainsFunc(loops, func(loop *countedLoop) bool { return loop != a.cut })
	})
}

// underMore reports whether all of some conditions are among others.
func underMore(less, more []condition) bool {
	return !slices.ContainsFunc(less, func(c condition) bool { return !slices.Contains(more, c) })
}

// limit has the axes reach as far as the loads do.
func (a *stagedArray) limit() {
	for i := range a.axes {
		x := &a.axes[i]
		for n, l := range a.loads {
			b := a.boxOf(l)[i]
			if n == 0 {
				x.low, x.high = b.low, b.high
			}
			x.low, x.high = min(x.low, b.low), max(x.high, b.high)
		}
	}
}

// part is one threadIdx or counter in a subscript.
type part struct {
	stride polynomial.Polynomial
	dim    int          // of threadIdx, -1 for none
	loop   *countedLoop // nil for threadIdx
}

// parts takes a form apart into those of threadIdx and of the given loops, and what is
// left; ok is false where that is no sum of them.
func (f *indexForms) parts(p polynomial.Polynomial, loops []*countedLoop) (out []part, rest polynomial.Polynomial, ok bool) {
	rest = p
	take := func(s *polynomial.Symbol, one part) bool {
		coef, left, linear := rest.Linear(s)
		if !linear {
			return false
		}
		if n, is := coef.Constant(); is && n == 0 {
			return true
		}
		one.stride, rest = coef, left
		out = append(out, one)
		return true
	}
	for d, s := range f.threads {
		if !take(s, part{dim: d}) {
			return nil, rest, false
		}
	}
	for _, l := range loops {
		if !take(f.symbols[l.v], part{dim: -1, loop: l}) {
			return nil, rest, false
		}
	}
	moves := func(s *polynomial.Symbol) bool {
		return slices.Contains(f.threads[:], s) || slices.ContainsFunc(loops, func(l *countedLoop) bool { return f.symbols[l.v] == s })
	}
	for _, one := range out {
		if one.stride.Has(moves) {
			return nil, rest, false
		}
	}
	return out, rest, true
}

// patternOf is the pattern of one load, nil where its subscript is not a sum of threadIdx
// and counters, each times what is the same for the block.
func (f *indexForms) patternOf(v *ir.Var, l *stagedLoad) *stagedArray {
	parts, base, ok := f.parts(l.form, f.moving(l))
	if !ok {
		return nil
	}
	a := &stagedArray{v: v, loads: []*stagedLoad{l}, base: base, elem: elementOf(f.k, v.Type.Base)}
	along := f.movesAlong(l)
	for _, p := range parts {
		i := slices.IndexFunc(a.axes, func(x stagedAxis) bool { return x.stride.Equal(p.stride) })
		if i < 0 {
			i = len(a.axes)
			a.axes = append(a.axes, stagedAxis{stride: p.stride, dim: -1})
		}
		x := &a.axes[i]
		switch {
		case p.loop == nil && x.dim >= 0:
			return nil // threadIdx.x + threadIdx.y
		case p.loop == nil:
			x.dim = p.dim
		case p.loop.step == 1 && p.loop.trips() > 0 && p.loop.trips() <= mostShort && p.loop != along:
			x.low += int(p.loop.first)
			x.high += int(p.loop.last)
		case a.cut != nil:
			return nil
		default:
			a.cut, x.cut, x.step = p.loop, true, int(p.loop.step)
		}
	}
	if len(a.axes) == 0 {
		return nil
	}
	for _, x := range a.axes {
		if x.cut && (x.dim >= 0 || x.step == 1 && x.low != x.high && !f.planes) {
			return nil // elements of one tile are read in the next, too
		}
	}
	slices.SortStableFunc(a.axes, func(x, y stagedAxis) int { return compareStrides(y.stride, x.stride) })
	l.offsets, l.along = make([]int64, len(a.axes)), make([][]*countedLoop, len(a.axes))
	for i, x := range a.axes {
		for _, p := range parts {
			if p.loop != nil && p.stride.Equal(x.stride) {
				l.along[i] = append(l.along[i], p.loop)
			}
		}
		if x.cut && slices.ContainsFunc(l.along[i], func(loop *countedLoop) bool {
			return loop != a.cut && (x.step == 1 && !f.planes || !loop.stmt.Inside(a.cut.stmt))
		}) {
			return nil
		}
	}
	if !f.isPlaced(a, l) {
		return nil
	}
	return a
}

// moving are the loops whose counters move along a tile: the short ones, and the innermost of the others whose
// counter is in the subscript. The counters of those around it are the same for the block whenever a tile is copied.
func (f *indexForms) moving(l *stagedLoad) (out []*countedLoop) {
	long := false
	for _, loop := range slices.Backward(l.loops) {
		s := f.symbols[loop.v]
		if loop.rounds || !l.form.Has(func(o *polynomial.Symbol) bool { return o == s }) {
			continue
		}
		if n := loop.trips(); n == 0 || n > mostShort {
			if long {
				continue
			}
			long = true
		}
		out = append(out, loop)
	}
	return out
}

// movesAlong is the short loop that planes move along, nil where they do along a long one, or do not move: the outermost.
func (f *indexForms) movesAlong(l *stagedLoad) *countedLoop {
	loops := f.moving(l)
	if !f.planes || len(loops) == 0 || slices.ContainsFunc(loops, func(o *countedLoop) bool { return o.trips() == 0 || o.trips() > mostShort }) {
		return nil
	}
	return loops[len(loops)-1]
}

// compareStrides orders strides by the number of their symbols, and numbers by size.
func compareStrides(x, y polynomial.Polynomial) int {
	count := func(p polynomial.Polynomial) (n int) {
		p.Symbols(func(*polynomial.Symbol) { n++ })
		return n
	}
	if d := count(x) - count(y); d != 0 {
		return d
	}
	a, _ := x.Constant()
	b, _ := y.Constant()
	return int(max(a, -a) - max(b, -b))
}

// mostOffset is the largest distance of the loads of one pattern, in elements along an axis.
const mostOffset = 64

// joins adds the only load of b to a where both are of one pattern.
func (f *indexForms) joins(a, b *stagedArray) bool {
	if a.cut != b.cut || len(a.axes) != len(b.axes) {
		return false
	}
	for i, x := range a.axes {
		if y := b.axes[i]; !x.stride.Equal(y.stride) || x.dim != y.dim || x.cut != y.cut {
			return false
		}
	}
	offsets, ok := offsetsAlong(a.axes, b.base.Minus(a.base))
	if !ok {
		return false
	}
	if one := *b.loads[0]; len(a.loads[0].places)+len(one.places) > 0 {
		if one.offsets = offsets; !f.sameFunction(a, a.loads[0], &one) {
			return false
		}
	}
	for i := range a.axes {
		if x, y := &a.axes[i], b.axes[i]; x.cut && max(offsets[i], -offsets[i]) >= int64(x.step) && (x.step > 1 || !f.planes) {
			return false
		} else {
			x.low, x.high = min(x.low, y.low+int(offsets[i])), max(x.high, y.high+int(offsets[i]))
		}
	}
	b.loads[0].offsets = offsets
	a.loads = append(a.loads, b.loads[0])
	return true
}

// nearest is the number by which c is multiplied to come as near to n as can be: of rows of 64
// elements, 63 is one row on and an element back.
func nearest(n, c int64) int64 {
	half := max(c, -c) / 2
	if n < 0 {
		half = -half
	}
	return (n + half) / c
}

// offsetsAlong writes a difference of subscripts as numbers of elements along each axis.
func offsetsAlong(axes []stagedAxis, difference polynomial.Polynomial) (offsets []int64, ok bool) {
	offsets = make([]int64, len(axes))
	for i, x := range axes {
		if c, is := x.stride.Constant(); is {
			n, rest := difference.Number()
			if zero, is := rest.Constant(); !is || zero != 0 {
				return nil, false
			}
			if offsets[i] = nearest(n, c); i == len(axes)-1 && n%c != 0 {
				return nil, false
			}
			difference = polynomial.Number(n - offsets[i]*c)
			continue
		}
		symbols := func(p polynomial.Polynomial) (n int) {
			p.Symbols(func(*polynomial.Symbol) { n++ })
			return n
		}
		best, least := difference, symbols(difference)
		for n := int64(-mostOffset); n <= mostOffset; n++ {
			if d := difference.Minus(x.stride.Times(polynomial.Number(n))); !d.IsLost() && symbols(d) < least {
				best, least, offsets[i] = d, symbols(d), n
			}
		}
		difference = best
	}
	zero, is := difference.Constant()
	return offsets, is && zero == 0
}
