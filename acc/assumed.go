package acc

import (
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/parser"
)

// assumed holds the values that a model assumes for variables on which the iterations of a nest depend, where
// the program does not say it: it has to count something. A problem of some millions of
// iterations keeps a GPU busy.
type assumed struct {
	u      *unit
	values map[*variable]int64
	size   int64    // of a loop whose bounds say nothing
	told   []string // what was taken
	uneven bool     // loops in the body end with a counter of the nest
}

// sizes are the assumed values of a bound in a nest with so many loops of which no more is known:
// some millions of iterations. sizeAlone is that of one loop with others in it.
var sizes = []int64{2048, 1 << 22, 2048, 256}

const sizeAlone = 8192

// assume looks at the bounds of a nest and of the loops in its body.
func (t *translation) assume(k *kernelStep) *assumed {
	a := &assumed{u: t.unit, values: map[*variable]int64{}}
	root := k.nest[0].node
	depth := 0
	for _, l := range k.nest {
		if _, known := a.iterations(l); !known {
			depth++
		}
	}
	inner := t.boundsIn(k.body)
	a.size = sizes[depth]
	if open := func(l *loop) bool { _, known := a.iterations(l); return !known }; depth == 1 && slices.ContainsFunc(inner, open) {
		a.size = sizeAlone
	}
	a.told = nil
	for i, l := range slices.Concat(k.nest, inner) {
		for _, v := range slices.Concat(t.variablesIn(l.lower), t.variablesIn(l.upper)) {
			a.uneven = a.uneven || i >= len(k.nest) && slices.ContainsFunc(k.nest, func(o *loop) bool { return o.counter == v })
			if _, known := t.fixedValue(v); known || a.values[v] > 0 || !v.isInteger() || t.assigned(root, v) || t.localTo(v, root) {
				continue
			}
			a.values[v] = a.size
			if t.counterAt(v, root) != nil {
				a.values[v] = a.size / 2 // on average
			}
			a.told = append(a.told, fmt.Sprintf("%s is taken to be %d", v.name, a.values[v]))
		}
	}
	// What ends with a counter of the nest is as long as that is on average.
	said := slices.Clone(a.told)
	for _, l := range k.nest {
		n, _ := a.iterations(l)
		a.values[l.counter] = (n + 1) / 2
	}
	a.told = said
	return a
}

// boundsIn are the loops in a statement that count.
func (u *unit) boundsIn(body *parser.Node) (out []*loop) {
	for n := range body.All() {
		if n.Kind == parser.KindForStatement {
			if l, _ := u.counts(n); l != nil {
				out = append(out, l)
			}
		}
	}
	return out
}

// fixedValue is the number that a variable has from its declaration on, for ever.
func (u *unit) fixedValue(v *variable) (int64, bool) {
	if v.src != u.source || v.param || v.declarator == nil || v.declarator.Kind != parser.KindInitDeclarator {
		return 0, false
	}
	c, ok := u.constant(v.declarator.Child(parser.FieldValue))
	if !ok {
		return 0, false
	}
	for n := range u.usesIn(u.tree.Root, v) {
		if a := u.accessAt(n, v); a.write || a.whole {
			return c, false
		}
	}
	return c, true
}

// of returns the value assumed for a variable.
func (a *assumed) of(v *variable) (int64, bool) {
	if c, ok := a.u.fixedValue(v); ok {
		return c, true
	}
	c, ok := a.values[v]
	return c, ok
}

// iterations is the number of iterations of a loop, at least one; known is set where the program
// alone says it.
func (a *assumed) iterations(l *loop) (n int64, known bool) {
	number := func(of func(*variable) (int64, bool)) (int64, bool) {
		first, ok := a.u.number(l.lower, of)
		last, also := a.u.number(l.upper, of)
		step := l.step
		if step < 0 {
			first, last, step = last, first, -step
		}
		if l.inclusive {
			last++
		}
		return max(1, (last-first+step-1)/step), ok && also
	}
	if n, known = number(a.u.fixedValue); known {
		return n, true
	}
	if n, ok := number(a.of); ok {
		return n, false
	}
	if said := fmt.Sprintf("the loop over %s is taken to run %d times", l.counter.name, a.size); !slices.Contains(a.told, said) {
		a.told = append(a.told, said)
	}
	return max(1, a.size), false
}
