package validate

import "slices"

// event is a load from global memory or a store to it, and behind how many barriers it stands in its segment: what lies
// between the beginnings and ends of loops with barriers.
type event struct {
	key   eventKey
	phase int
	write bool
}

type eventKey struct {
	class   string
	x       *term
	t       int
	segment int
}

func (y *replay) happens(class string, x *term, t int, write bool) {
	if y.dry == 0 {
		y.events = append(y.events, event{eventKey{class, x, t, y.segment}, (y.phase-y.began)<<16 + y.warps[t], write})
	}
}

// cut ends a segment.
func (y *replay) cut() {
	if y.dry == 0 {
		y.lengths = append(y.lengths, y.phase-y.began)
		y.segment++
		y.began = y.phase
	}
}

// fits compares what a run of the new text did with what one of the original did.
func (y *replay) fits() {
	a, view := y.old, y.st.reach[0].View
	if len(a.lengths) != len(y.lengths) {
		y.stop(Uniform, view.Start, "loops with barriers are not the original's")
	}
	classes := map[string]bool{}
	for _, m := range []map[string]*region{a.chains, y.chains} {
		for class := range m {
			classes[class] = true
		}
	}
	stored := map[string]bool{}
	for class := range classes {
		was, _ := a.chain(class)
		is, _ := y.chain(class)
		for t := range y.n {
			x, z := was.cells[t][0].t, is.cells[t][0].t
			stored[class] = stored[class] || len(x.kids) > 0
			if x == z {
				continue
			}
			at := view.Start
			var xs, zs []*term
			for ; len(x.kids) > 0; x = x.kids[0] {
				xs = append(xs, x)
			}
			for ; len(z.kids) > 0; z = z.kids[0] {
				zs = append(zs, z)
			}
			slices.Reverse(xs)
			slices.Reverse(zs)
			for i, z := range zs {
				if from, ok := y.from[z]; ok {
					at = from
				}
				if i >= len(xs) || xs[i] != z {
					break
				}
			}
			y.stop(Content, at, "what is stored from here on is not what the original stores, or not when or where")
		}
	}
	y.loadsFit()
	y.orderFits(stored)
}

// loadsFit checks that nothing is loaded that the original does not load.
func (y *replay) loadsFit() {
	type by struct {
		t *term
		n int
	}
	was := map[by][][]*term{}
	for _, l := range y.old.loads {
		was[by{l.t, l.by}] = append(was[by{l.t, l.by}], l.when)
	}
	for _, l := range y.loads {
		if !slices.ContainsFunc(was[by{l.t, l.by}], func(when []*term) bool {
			return !slices.ContainsFunc(when, func(c *term) bool { return !slices.Contains(l.when, c) })
		}) {
			if l.t.op == "subscript" {
				y.stop(Copies, l.src, "it is not known that this subscript is of an element of the array")
			}
			y.stop(Moves, l.src, "the original does not load this, or not in all threads that do here")
		}
	}
}

// orderFits checks of loads and stores of arrays that are stored to that barriers part those that they parted.
func (y *replay) orderFits(stored map[string]bool) {
	was := map[eventKey][]int{}
	for _, e := range y.old.events {
		was[e.key] = append(was[e.key], e.phase)
	}
	type pair struct {
		old, new int
		write    bool
	}
	of := map[eventKey]map[pair]bool{}
	for _, e := range y.events {
		if !stored[e.key.class] {
			continue
		}
		in := eventKey{class: e.key.class, segment: e.key.segment}
		if of[in] == nil {
			of[in] = map[pair]bool{}
		}
		before := was[e.key]
		if len(before) == 0 {
			y.stop(Moves, y.st.reach[0].View.Start, "%s is loaded or stored in another part of the kernel than before", e.key.class)
		}
		for _, p := range []int{slices.Min(before), slices.Max(before)} {
			of[in][pair{p, e.phase, e.write}] = true
		}
	}
	for in, pairs := range of {
		ends := [2]int{y.old.lengths[in.segment] << 16, y.lengths[in.segment] << 16}
		for p := range pairs {
			if len(y.lengths) > 1 && (p.new == 0 && p.old != 0 || p.new == ends[1] && p.old != ends[0]) {
				y.stop(Moves, y.st.reach[0].View.Start, "a barrier that stood between loads and stores of %s is gone", in.class)
			}
			for q := range pairs {
				if (p.write || q.write) && p.old < q.old && p.new >= q.new {
					y.stop(Moves, y.st.reach[0].View.Start, "a barrier that stood between loads and stores of %s is gone", in.class)
				}
			}
		}
	}
}
