package stage

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/polynomial"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/rewrite/kit"
)

// guard is a comparison under which an element is copied.
type guard struct {
	condition
	// axis is that along which the threads that read an element lie beside it: the comparison is made for the last of
	// them that it may hold for. It is -1 where it is made for the element itself.
	axis int
	// up is set if it holds for all threads after one for which it holds.
	up bool
	// needs is a comparison that holds if any thread of the grid reads at all, "" for none.
	needs string
	// beside is the distance of the thread that the condition is about from that of the model, nil for not at all.
	beside *shift
	// where is the border whose elements are copied under the guard, nil for all elements.
	where *border
}

// comparison is a condition as a polynomial that is not negative.
type comparison struct {
	condition
	form polynomial.Polynomial // >= 0
	same bool                  // an == or !=, form is the difference
	// exact is set if it holds just where form is not negative: it compares signed integers.
	// Others compare as unsigned what is negative as a number.
	exact bool
}

// opposite is the comparison that holds where another does not.
var opposite = map[string]string{"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}

// comparisons splits conditions at && and ||; ok is false where one is no comparison of integers with forms.
func (f *indexForms) comparisons(conds []condition) (out []comparison, ok bool) {
	for _, c := range conds {
		e := c.e
		if e.Op == ir.OpUnary && e.Tok == "!" {
			c, e = condition{e.Kids[0], !c.holds}, e.Kids[0]
		}
		if p := f.of(e); !p.IsLost() && !e.Macro && e.Op == ir.OpIdent {
			out = append(out, comparison{condition: c, form: p, same: true})
			continue
		}
		if e.Macro || e.Op != ir.OpBinary {
			return nil, false
		}
		if e.Tok == "&&" && c.holds || e.Tok == "||" && !c.holds {
			both, ok := f.comparisons([]condition{{e.Kids[0], c.holds}, {e.Kids[1], c.holds}})
			if !ok {
				return nil, false
			}
			out = append(out, both...)
			continue
		}
		tok := e.Tok
		if opposite[tok] == "" {
			return nil, false
		}
		if !c.holds {
			tok = opposite[tok]
		}
		a, b := f.of(e.Kids[0]), f.of(e.Kids[1])
		one := comparison{condition: c} // without a ! in front
		switch tok {
		case "<":
			one.form = b.Minus(a).Minus(polynomial.Number(1))
		case "<=":
			one.form = b.Minus(a)
		case ">":
			one.form = a.Minus(b).Minus(polynomial.Number(1))
		case ">=":
			one.form = a.Minus(b)
		default:
			one.form, one.same = a.Minus(b), true
		}
		if one.form.IsLost() {
			return nil, false
		}
		one.exact = !one.same && (isSigned(e.Kids[0]) && isSigned(e.Kids[1]) || f.isCount(a) && isNatural(b) || f.isCount(b) && isNatural(a))
		out = append(out, one)
	}
	return out, true
}

// isCount reports whether a form is a thread's number in its block or in the grid, which is
// not negative, in whatever type.
func (f *indexForms) isCount(p polynomial.Polynomial) bool {
	for d, t := range f.threads {
		own := polynomial.Of(t)
		name := "blockIdx." + "xyz"[d:d+1]
		if block := f.symbols[name]; p.Equal(own) || block != nil && p.Equal(own.Plus(polynomial.Of(block).Times(polynomial.Number(int64(f.shape[d]))))) {
			return true
		}
	}
	return false
}

func isNatural(p polynomial.Polynomial) bool {
	n, is := p.Constant()
	return is && n >= 0
}

// rises reports whether a comparison that holds for a thread holds for all after it, or for all before it, along each
// dimension: it is exact, or it compares the thread's number with what is the same for the block.
func (f *indexForms) rises(c comparison) bool {
	if c.exact {
		return true
	}
	isThread := func(s *polynomial.Symbol) bool { return slices.Contains(f.threads[:], s) }
	x, y := f.of(c.e.Kids[0]), f.of(c.e.Kids[1])
	return f.isCount(x) && !y.Has(isThread) || f.isCount(y) && !x.Has(isThread)
}

// sameConditions reports whether two loads run under the same conditions.
func sameConditions(a, b []condition) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(c condition) bool { return !slices.Contains(b, c) })
}

// guarding finds the guards of an array's elements, and by which thread of each dimension
// that the tile does not have they are judged; why says what is in the way.
//
// An element is copied if a thread of the grid reads it. Where each element is read by one thread along every axis
// that is that thread's own condition. Along an axis whose elements several threads read, from low to high beside
// their own, the threads under the conditions are an interval, and so are the elements:
//
//	first <= thread <= last   reads   first + low ... last + high
//
// whose ends are compared: what is least with the thread low before the element, what is most with that high before
// it. That there is such a thread is another comparison, unless one of the others says so.
func (f *indexForms) guarding(a *stagedArray) (out []guard, at [3]end, why string) {
	l := a.model
	cs, ok := f.comparisons(l.conds)
	if !ok {
		return nil, at, "a condition around it is no comparison of sums of thread numbers, counters and values that stay the same"
	}
	var inner []comparison // which hold for the element
	readers := map[int][]comparison{}
	for _, c := range cs {
		parts, _, ok := f.parts(c.form, f.moving(l))
		if !ok {
			return nil, at, "a condition around it multiplies thread numbers"
		}
		axis, kind := a.judge(parts)
		switch kind {
		case guardElement:
			inner = append(inner, c)
			out = append(out, guard{condition: c.condition, axis: -1})
		case guardAbsent:
			for _, p := range parts {
				if p.loop != nil || slices.ContainsFunc(a.axes, func(x stagedAxis) bool { return x.dim == p.dim }) {
					continue
				}
				n, is := p.stride.Constant()
				want := endFirst
				if n > 0 {
					want = endLast // the larger, the likelier
				}
				if !is || c.same || !f.rises(c) || at[p.dim] != endNone && at[p.dim] != want {
					return nil, at, "threads that read the same element may be any of a condition's"
				}
				at[p.dim] = want
			}
			inner = append(inner, c)
			out = append(out, guard{condition: c.condition, axis: -1})
		case guardReader:
			n, is := partOf(parts, a.axes[axis].dim).stride.Constant()
			if !is || c.same || n != 1 && n != -1 {
				return nil, at, "a condition around it does not compare thread numbers alone"
			}
			if !c.exact {
				return nil, at, "a condition around it compares unsigned numbers"
			}
			readers[axis] = append(readers[axis], c)
			out = append(out, guard{condition: c.condition, axis: axis, up: n > 0})
		default:
			return nil, at, "a condition around it compares the numbers of a thread along several axes"
		}
	}
	for axis := range a.axes {
		if len(readers[axis]) == 0 {
			continue
		}
		needs, why := f.someThread(a, axis, readers[axis], cs, inner)
		if why != "" {
			return nil, at, why
		}
		if needs != "" {
			out = append(out, guard{axis: -1, needs: needs})
		}
	}
	return slices.DeleteFunc(out, func(g guard) bool { return f.implied(a, g, inner) }), at, ""
}

// implied reports whether the guards of an element itself say what one of the threads that
// read it does: a pixel of the picture is read by a thread before the picture's end.
func (f *indexForms) implied(a *stagedArray, g guard, inner []comparison) bool {
	if g.axis < 0 || len(a.boxes) > 1 {
		return false
	}
	cs, _ := f.comparisons([]condition{g.condition})
	// The element's own number takes the thread's place: what is compared is that of the
	// thread which reads it as its last, or its first.
	by := a.boxes[0][g.axis].high
	if g.up {
		by = a.boxes[0][g.axis].low
	}
	rep := int64(a.model.offsets[g.axis])
	var facts polynomial.Facts
	for _, c := range inner {
		if c.exact {
			facts = append(facts, f.usual(a, c.form))
		}
	}
	for _, loop := range a.counters(a.axes[g.axis]) {
		rep += int64(loop.usual())
	}
	one, _, ok := cs[0].form.Linear(f.threads[a.axes[g.axis].dim])
	if !ok {
		return false
	}
	return facts.NonNegative(cs[0].form.Plus(one.Times(polynomial.Number(rep - int64(by)))))
}

// usual is a polynomial for the iterations of short loops that stand for all.
func (f *indexForms) usual(a *stagedArray, p polynomial.Polynomial) polynomial.Polynomial {
	for _, x := range a.axes {
		if x.dim < 0 {
			continue
		}
		for _, loop := range a.counters(x) {
			if coef, rest, ok := p.Linear(f.symbols[loop.v]); ok && loop != a.cut {
				p = rest.Plus(coef.Times(polynomial.Number(int64(loop.usual()))))
			}
		}
	}
	return p
}

// end says which thread of a dimension stands for all.
type end uint8

const (
	endNone end = iota
	endFirst
	endLast
)

// guardKind is whom a comparison is about.
type guardKind uint8

const (
	guardOther   guardKind = iota
	guardElement           // the element
	guardReader            // the threads that read it, along one axis
	guardAbsent            // threads in dimensions that the tile does not have, and perhaps the element
)

func partOf(parts []part, dim int) part {
	for _, p := range parts {
		if p.loop == nil && p.dim == dim {
			return p
		}
	}
	return part{}
}

// judge says whom a comparison is about: along each axis it may have all that the axis is a
// sum of, alike, which is the element's number, or of several threads' threadIdx alone.
func (a *stagedArray) judge(parts []part) (axis int, kind guardKind) {
	kind, axis = guardElement, -1
	seen := 0
	for i, x := range a.axes {
		var mine []part
		whole := 0
		mine = lists.Filter(parts, func(p part) bool { return p.loop == nil && p.dim == x.dim || p.loop != nil && a.movesAlong(x, p.loop) })
		if x.dim >= 0 {
			whole++
		}
		whole += len(a.counters(x))
		seen += len(mine)
		switch {
		case len(mine) == 0:
		case a.loadsDiffer(i):
			// The element's number is not that of one thread plus its counters.
			if len(mine) != 1 || mine[0].loop != nil || axis >= 0 {
				return -1, guardOther
			}
			kind, axis = guardReader, i
		case len(mine) == whole && alike(mine):
		case len(mine) == 1 && mine[0].loop == nil && axis < 0:
			kind, axis = guardReader, i
		default:
			return -1, guardOther
		}
	}
	absent := len(parts) - seen
	switch {
	case absent == 0 && axis >= 0 && seen > 1:
		return -1, guardOther
	case absent == 0:
		return axis, kind
	case axis >= 0:
		return -1, guardOther
	}
	for _, p := range parts {
		if p.loop != nil && !slices.ContainsFunc(a.axes, func(x stagedAxis) bool { return a.movesAlong(x, p.loop) }) {
			return -1, guardOther
		}
	}
	return -1, guardAbsent
}

func alike(parts []part) bool {
	return !slices.ContainsFunc(parts, func(p part) bool { return !p.stride.Equal(parts[0].stride) })
}

// loadsDiffer reports whether loads of the pattern are apart along an axis, by their offsets or by the
// counters that they have there: then the model's text tells of none but its own elements.
func (a *stagedArray) loadsDiffer(axis int) bool {
	return slices.ContainsFunc(a.loads, func(l *stagedLoad) bool {
		return l.offsets[axis] != a.loads[0].offsets[axis] || !slices.Equal(l.along[axis], a.loads[0].along[axis])
	})
}

// someThread is a comparison that says whether any thread of the grid is under the
// comparisons along an axis, "" where one that holds for the element says so. An element
// that lies between others that are read is one of the array's, whoever reads it.
func (f *indexForms) someThread(a *stagedArray, axis int, readers, all, inner []comparison) (needs, why string) {
	x := a.axes[axis]
	t := f.threads[x.dim]
	// Threads of other blocks stand for those of this one where only their number in the grid matters.
	if !f.alikeInGrid(x.dim, a.base.Plus(polynomial.Of(t).Times(x.stride))) {
		return "", "the elements that threads beside a thread block read are unknown"
	}
	for _, c := range all {
		if !slices.ContainsFunc(inner, func(o comparison) bool { return o.condition == c.condition }) && !f.alikeInGrid(x.dim, c.form) {
			return "", "a condition around it tells thread blocks apart"
		}
	}
	position := f.inGrid(x.dim)
	var facts polynomial.Facts
	for _, c := range inner {
		if c.exact {
			facts = append(facts, c.form)
		}
	}
	least := []polynomial.Polynomial{} // numbers of the grid's threads that are
	var most []polynomial.Polynomial
	for _, c := range readers {
		if one, _, _ := c.form.Linear(t); isPositive(one) {
			least = append(least, position.Minus(c.form))
		} else {
			most = append(most, c.form.Plus(position))
		}
	}
	first := int64(0)
	for _, p := range least {
		n, is := p.Constant()
		if !is || n >= int64(f.shape[x.dim]) {
			return "", "the first thread that reads it is not known"
		}
		first = max(first, n)
	}
	var texts []string
	for _, u := range most {
		room := u.Minus(polynomial.Number(first))
		if facts.NonNegative(room) {
			continue
		}
		n, rest := room.Number()
		v := f.single(rest)
		if v == "" {
			return "", "can't prove that any thread reads it"
		}
		if text := v + " >= " + kit.Number(int(-n)); !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, " && "), ""
}

func isPositive(p polynomial.Polynomial) bool {
	n, is := p.Constant()
	return is && n > 0
}

// single is the text of the int parameter that a polynomial is, or of the macro that the build has
// one stand for, or a number; "" for any other.
func (f *indexForms) single(p polynomial.Polynomial) string {
	for s, v := range f.vars {
		if v.Type.Base == "int" && v.Kind == ir.VarParam && p.Equal(polynomial.Of(s)) {
			return v.Name
		}
	}
	for s, e := range f.builds {
		if p.Equal(polynomial.Of(s)) && !e.Any(func(t *ir.Expr) bool { return !t.IsBuildChoice() && t.Op != ir.OpIdent && t.Op != ir.OpInt }) && f.isInt(e) {
			return s.Name
		}
	}
	return ""
}

// movesAlong reports whether a loop's counter is one of an axis.
func (a *stagedArray) movesAlong(x stagedAxis, loop *countedLoop) bool {
	return slices.Contains(a.counters(x), loop)
}

// counters are the loops of the model that move along an axis.
func (a *stagedArray) counters(x stagedAxis) []*countedLoop {
	for i, y := range a.axes {
		if y.stride.Equal(x.stride) {
			return a.model.along[i]
		}
	}
	return nil
}
