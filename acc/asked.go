package acc

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/acc/directive"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
)

// governed are the loops of a nest that a directive is about, with the threads that are asked for along them, all together.
type governed struct {
	pragma  *pragma
	loops   []int
	threads int
}

// fits reports whether a thread block has as many threads along loops as is asked for.
func (s governed) fits(block, loops []int) bool {
	n := 1
	for d, l := range loops {
		if slices.Contains(s.loops, l) {
			n *= block[d]
		}
	}
	return n == s.threads
}

// governed are the loops of a nest that each of its directives is about: of one that collapses or tiles, several.
func (e *emitter) governed(k *kernelStep) (out []governed) {
	for i := 0; i < len(k.nest); {
		p := e.translation.loopOver(k.nest[i].node)
		if p == nil {
			i++
			continue
		}
		g := governed{pragma: p, loops: []int{i}}
		if n, ok := e.translation.collapseOf(p); ok {
			for len(g.loops) < n && i+len(g.loops) < len(k.nest) {
				g.loops = append(g.loops, i+len(g.loops))
			}
		}
		out, i = append(out, g), i+len(g.loops)
	}
	return out
}

func byWorkers(all []governed) bool {
	return slices.ContainsFunc(all, func(g governed) bool { return g.pragma.Has("worker") })
}

// asked are the sizes that directives ask for by vector_length, num_workers, vector(n) and worker(n): of the loops
// that have the level, or of the whole nest where none has. What is not followed is said.
func (e *emitter) asked(k *kernelStep) []governed {
	all := e.governed(k)
	vector, vectorAt := e.sizeOf(all, "vector", "vector_length")
	workers, workersAt := e.sizeOf(all, "worker", "num_workers")
	if vector == 0 && workers == 0 {
		return nil
	}
	whole, named := governed{threads: max(vector, 1) * max(workers, 1)}, false
	for i := range k.nest {
		whole.loops = append(whole.loops, i)
	}
	out := lists.Map(all, func(g governed) governed {
		n := 1
		for level, size := range map[string]int{"vector": vector, "worker": workers} {
			if size > 0 && g.pragma.Has(level) {
				n, named = n*size, true
			}
		}
		return governed{g.pragma, g.loops, n}
	})
	if !named {
		out = []governed{whole}
	}
	if len(out) == 1 { // which has all of them
		out[0].threads = whole.threads
		if len(k.reductions) > 0 {
			out[0].threads = (whole.threads + 31) / 32 * 32 // a reduction needs whole warps
		}
	}
	threads := 1
	for _, s := range out {
		threads *= s.threads
	}
	if !e.makesBlock(k, threads, cmp.Or(vectorAt, workersAt)) {
		return nil
	}
	return out
}

// makesBlock reports whether a thread block can have so many threads, and says if not.
func (e *emitter) makesBlock(k *kernelStep, threads int, at *pragma) bool {
	combines := k.phases == nil && len(k.reductions) > 0
	for _, p := range k.phases {
		combines = combines || slices.ContainsFunc(p.all(), func(p *phase) bool { return len(p.reductions) > 0 })
	}
	why := ""
	switch {
	case threads > most:
		why = "are more than a thread block has"
	case threads%32 != 0 && combines:
		why = "are no whole warps, which a reduction needs"
	default:
		return true
	}
	e.translation.say(e.translation.at(at.Pos), CodeSizes, fmt.Sprintf("how many threads the directives ask for is not followed: %d threads %s", threads, why), "ask for a multiple of 32 up to 1024")
	return false
}

// askedOfLanes returns the threads that directives ask for in a block for an iteration; 0 where they leave it open.
func (e *emitter) askedOfLanes(k *kernelStep) int {
	outer := e.governed(k)
	lanes := lists.Map(k.lanes, func(l *loop) governed { return governed{pragma: e.translation.loopOver(l.node)} })
	vector, vectorAt := e.sizeOf(lanes, "vector", "vector_length")
	workers, workersAt := 0, (*pragma)(nil)
	if !byWorkers(outer) { // else each has an iteration
		workers, workersAt = e.sizeOf(lanes, "worker", "num_workers")
	}
	threads := max(vector, 1) * max(workers, 1)
	if vector == 0 && workers == 0 || !e.makesBlock(k, threads, cmp.Or(vectorAt, workersAt)) {
		return 0
	}
	return threads
}

// sizeOf is the size of a level by a loop's clause or the construct's, 0 for none. One that is no constant is reported.
func (e *emitter) sizeOf(all []governed, level, clause string) (int, *pragma) {
	for i, g := range append(slices.Clip(all), governed{pragma: e.pragma}) {
		for _, name := range []string{level, clause} {
			c, _ := g.pragma.Clause(name)
			if len(c.Args) == 0 || name == level && i == len(all) {
				continue
			}
			if n, ok := e.translation.value(c.Args[0].Text, g.pragma); ok && n > 0 {
				return int(min(n, 1<<20)), g.pragma
			}
			e.notFollowed(c.Pos, name, "its size is no constant")
		}
	}
	return 0, nil
}

// tile is the thread block that a tile clause describes, the innermost loop along x; nil where it makes none.
func (e *emitter) tile(k *kernelStep) []int {
	var c directive.Clause
	if k.by != nil {
		c, _ = k.by.Clause("tile")
	}
	if len(c.Args) != len(k.nest) {
		return nil
	}
	var shape []int
	threads := int64(1)
	for _, a := range slices.Backward(c.Args) {
		n, ok := e.translation.value(a.Text, k.by)
		if threads *= n; !ok || n <= 0 || threads > most {
			return nil
		}
		shape = append(shape, int(n))
	}
	if threads%32 != 0 && len(k.reductions) > 0 {
		return nil // a reduction needs whole warps
	}
	return shape
}

func (u *unit) value(text string, p *pragma) (int64, bool) {
	return numberOf(u.macros(), text, p.start)
}

// assumed holds the values that a model assumes for variables on which the iterations of a nest depend, where the
// program does not say it: it has to count something. A problem of some millions of iterations keeps a GPU busy.
type assumed struct {
	u      *unit
	values map[*variable]int64
	size   int64    // of a loop whose bounds say nothing
	told   []string // what was taken
	uneven bool     // loops in the body end with a counter of the nest
}

// sizes are the assumed values of a bound in a nest with so many loops of which no more is known; sizeAlone is for one with others in it.
var sizes = []int64{2048, 1 << 22, 2048, 256}

const sizeAlone = 8192

// assume looks at the bounds of a nest and of the loops in its body.
func (t *translation) assume(k *kernelStep) *assumed {
	a := &assumed{u: t.unit, values: map[*variable]int64{}}
	root, inner := k.nest[0].node, t.boundsIn(k.body)
	open := func(l *loop) bool { _, known := l.iterations(t.unit, t.fixedValue); return !known }
	depth := len(lists.Filter(k.nest, open))
	a.size = sizes[depth]
	if depth == 1 && slices.ContainsFunc(inner, open) {
		a.size = sizeAlone
	}
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
	return c, ok && !lists.Any(u.usesIn(u.tree.Root, v), func(n *parser.Node) bool { a := u.accessAt(n, v); return a.write || a.whole })
}

func (a *assumed) of(v *variable) (int64, bool) {
	if c, ok := a.u.fixedValue(v); ok {
		return c, true
	}
	c, ok := a.values[v]
	return c, ok
}

// iterations is the number of iterations of a loop, at least one, by what variables are.
func (l *loop) iterations(u *unit, of func(*variable) (int64, bool)) (int64, bool) {
	first, ok := u.number(l.lower, of)
	last, also := u.number(l.upper, of)
	step := l.step
	if step < 0 {
		first, last, step = last, first, -step
	}
	if l.inclusive {
		last++
	}
	return max(1, (last-first+step-1)/step), ok && also
}

// iterations is the number of iterations of a loop, at least one; known is set where the program alone says it.
func (a *assumed) iterations(l *loop) (n int64, known bool) {
	if n, known = l.iterations(a.u, a.u.fixedValue); known {
		return n, true
	}
	if n, ok := l.iterations(a.u, a.of); ok {
		return n, false
	}
	if said := fmt.Sprintf("the loop over %s is taken to run %d times", l.counter.name, a.size); !slices.Contains(a.told, said) {
		a.told = append(a.told, said)
	}
	return max(1, a.size), false
}
