package acc

import (
	"cmp"
	"fmt"
	"slices"
)

// sized counts the threads that directives ask for along some loops of a nest, all together.
type sized struct {
	loops   []int
	threads int
}

// fits reports whether a thread block has as many threads along loops as is asked for.
func (e *emitter) fits(block, loops []int, asked []sized) bool {
	for _, s := range asked {
		n := 1
		for d, l := range loops {
			if slices.Contains(s.loops, l) {
				n *= block[d]
			}
		}
		if n != s.threads {
			return false
		}
	}
	return true
}

// governed are the loops of a nest that each of its directives is about, from the outermost: of
// a directive that collapses or tiles, several.
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

type governed struct {
	pragma *pragma
	loops  []int
}

// threaded says which loops of a nest have threads by their directives: those that a directive
// collapses, or gives a level.
func (e *emitter) threaded(k *kernelStep) []bool {
	must := make([]bool, len(k.nest))
	for _, g := range e.governed(k) {
		if len(g.loops) > 1 || len(levelsOf(g.pragma)) > 0 {
			for _, l := range g.loops {
				must[l] = true
			}
		}
	}
	return must
}

// asked are the sizes that directives ask for by vector_length, num_workers, vector(n) and
// worker(n): of the loops that have the level, or of the whole nest where none has. What is not
// followed is said.
func (e *emitter) asked(k *kernelStep) []sized {
	all := e.governed(k)
	vector, vectorAt := e.sizeOf(k, all, "vector", "vector_length")
	workers, workersAt := e.sizeOf(k, all, "worker", "num_workers")
	if vector == 0 && workers == 0 {
		return nil
	}
	whole := sized{threads: max(vector, 1) * max(workers, 1)}
	for i := range k.nest {
		whole.loops = append(whole.loops, i)
	}
	var out []sized
	named := false
	for _, g := range all {
		n := 1
		for level, size := range map[string]int{"vector": vector, "worker": workers} {
			if size > 0 && g.pragma.Has(level) {
				n, named = n*size, true
			}
		}
		out = append(out, sized{g.loops, n})
	}
	if !named {
		out = []sized{whole}
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

// makesBlock reports whether a thread block can have so many threads, and says at a directive
// if not.
func (e *emitter) makesBlock(k *kernelStep, threads int, at *pragma) bool {
	why := ""
	switch {
	case threads > most:
		why = fmt.Sprintf("%d threads are more than a thread block has", threads)
	case threads%32 != 0 && k.combines():
		why = fmt.Sprintf("%d threads are no whole warps, which a reduction needs", threads)
	default:
		return true
	}
	e.translation.say(e.translation.at(at.Pos), CodeSizes, "how many threads the directives ask for is not followed: "+why, "ask for a multiple of 32 up to 1024")
	return false
}

// combines reports whether threads of a block combine what they have.
func (k *kernelStep) combines() bool {
	if k.phases == nil {
		return len(k.reductions) > 0
	}
	return slices.ContainsFunc(k.phases, func(p *phase) bool {
		return slices.ContainsFunc(p.all(), func(p *phase) bool { return len(p.reductions) > 0 })
	})
}

// askedOfLanes returns the number of threads that directives ask for in a thread block for an iteration; 0
// where they leave it open.
func (e *emitter) askedOfLanes(k *kernelStep) int {
	outer, lanes := e.governed(k), []governed{}
	for _, l := range k.lanes {
		lanes = append(lanes, governed{pragma: e.translation.loopOver(l.node)})
	}
	vector, vectorAt := e.sizeOf(k, lanes, "vector", "vector_length")
	workers, workersAt := 0, (*pragma)(nil)
	if !slices.ContainsFunc(outer, func(g governed) bool { return g.pragma.Has("worker") }) { // else each has an iteration
		workers, workersAt = e.sizeOf(k, lanes, "worker", "num_workers")
	}
	threads := max(vector, 1) * max(workers, 1)
	if vector == 0 && workers == 0 || !e.makesBlock(k, threads, cmp.Or(vectorAt, workersAt)) {
		return 0
	}
	return threads
}

// sizeOf is the size of a level: from a loop's clause, or from the construct's; 0 where neither
// gives one. One that is no constant is reported as not followed.
func (e *emitter) sizeOf(k *kernelStep, all []governed, level, clause string) (int, *pragma) {
	look := func(p *pragma, names ...string) (int, bool) {
		for _, name := range names {
			c, ok := p.Clause(name)
			if !ok || len(c.Args) == 0 {
				continue
			}
			n, ok := e.translation.value(c.Args[0].Text, p)
			if !ok || n <= 0 {
				e.translation.say(e.translation.at(c.Pos), CodeSizes, fmt.Sprintf("%s is not followed: its size is no constant", name), "nothing needs to be done")
				continue
			}
			return int(min(n, 1<<20)), true
		}
		return 0, false
	}
	for _, g := range all {
		if n, ok := look(g.pragma, level, clause); ok {
			return n, g.pragma
		}
	}
	if n, ok := look(e.pragma, clause); ok {
		return n, e.pragma
	}
	return 0, nil
}

// tile is the thread block that a tile clause describes, the innermost loop along x; nil where
// there is none, or where its sizes are not known or make no thread block.
func (e *emitter) tile(k *kernelStep) []int {
	if k.by == nil {
		return nil
	}
	c, ok := k.by.Clause("tile")
	if !ok || len(c.Args) != len(k.nest) {
		return nil
	}
	var shape []int
	threads := int64(1)
	for i := len(c.Args) - 1; i >= 0; i-- {
		n, ok := e.translation.value(c.Args[i].Text, k.by)
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

// value is the value of a constant expression in a directive.
func (u *unit) value(text string, p *pragma) (int64, bool) {
	return numberOf(u.macros(), text, p.start)
}
