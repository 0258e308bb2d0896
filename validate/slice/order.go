package slice

import (
	"maps"
	"slices"

	"github.com/smux-cuda/smux/validate/kit"
	"github.com/smux-cuda/smux/validate/units"
)

// event is a load from global memory or a store to it, and after how many barriers it stands in its segment: what lies
// between the beginnings and ends of loops with barriers.
type event struct {
	key   eventKey
	phase int
	write bool
	alone bool    // in no loop that is not counted, so that the term says what is loaded
	when  []*term // the conditions of a load
}

type eventKey struct {
	class   string
	x       *term
	t       int
	segment int
}

func (y *replay) happens(class string, x *term, t int, write bool) {
	if y.dry == 0 {
		e := event{key: eventKey{class, x, t, y.segment}, phase: (y.phase-y.began)<<16 + y.warps[t], write: write, alone: y.depth == 0 && !write}
		if e.alone {
			e.when = slices.Clone(y.path)
		}
		y.events = append(y.events, e)
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
	a, view := y.old, y.st.Reach[0].View
	if len(a.lengths) != len(y.lengths) {
		y.stop(kit.Uniform, view.Start, "loops with barriers are not the original's")
	}
	for _, r := range a.statics {
		if r.fickle && !slices.ContainsFunc(slices.Collect(maps.Values(y.statics)), func(o *region) bool { return o.fickle && o.name == r.name }) {
			y.stop(kit.Copies, view.Start, "%s is not volatile here", r.name)
		}
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
			y.stop(kit.Content, at, "from here on the original stores other values, or at another time or place")
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
			switch l.t.op {
			case "subscript":
				y.stop(kit.Copies, l.src, "it is not known that this subscript is of an element of the array")
			case "divisor":
				y.stop(kit.Moves, l.src, "the original does not divide by this, or not in all threads that do here")
			case "trips":
				y.stop(kit.Uniform, l.src, "this loop does not go round as often as one of the original, or not where that does")
			}
			y.stop(kit.Moves, l.src, "the original does not load this, or not in all threads that do here")
		}
	}
}

// ordered are the phases of an event of the new text and one of the original that it stands for.
type ordered struct {
	old, new int
	warp     int // where there are barriers of warps
	write    bool
}

// breaks reports whether a barrier that parts two events in the original does not part them in the new text.
func (p ordered) breaks(q ordered) bool {
	if p.warp != q.warp { // barriers of the block alone part these
		p.old, p.new, q.old, q.new = p.old>>16, p.new>>16, q.old>>16, q.new>>16
	}
	return (p.write || q.write) && (p.old < q.old && p.new >= q.new || q.old < p.old && q.new >= p.new)
}

// orderFits checks of loads and stores of arrays that are stored to that barriers part those that they parted. A load
// that the original makes several times may stand for any of them; in a loop that is not counted for the first and the last.
func (y *replay) orderFits(stored map[string]bool) {
	was := map[eventKey][]event{}
	for _, e := range y.old.events {
		was[e.key] = append(was[e.key], e)
	}
	type part struct {
		class   string
		segment int
	}
	stop := func(in part) {
		y.stop(kit.Moves, y.st.Reach[0].View.Start, "a barrier that stood between loads and stores of %s is gone", in.class)
	}
	ends := func(in part, p ordered) bool {
		return len(y.lengths) > 1 && (p.new == 0 && p.old != 0 || p.new == y.lengths[in.segment]<<16 && p.old != y.old.lengths[in.segment]<<16)
	}
	of := map[part]map[ordered]bool{}
	loads := map[part]map[string][]ordered{} // what each may stand for
	for _, e := range y.events {
		if !stored[e.key.class] {
			continue
		}
		in := part{e.key.class, e.key.segment}
		if of[in] == nil {
			of[in], loads[in] = map[ordered]bool{}, map[string][]ordered{}
		}
		before := was[e.key]
		if len(before) == 0 {
			y.stop(kit.Moves, y.st.Reach[0].View.Start, "%s is loaded or stored in another part of the kernel than before", e.key.class)
		}
		warp := 0
		if max(slices.Max(y.warps), slices.Max(y.old.warps)) > 0 {
			warp = e.key.t / 32
		}
		var stands []ordered
		key := ""
		for _, b := range before {
			if e.alone && b.alone && !slices.ContainsFunc(b.when, func(c *term) bool { return !slices.Contains(e.when, c) }) {
				stands = append(stands, ordered{b.phase, e.phase, warp, false})
				key += units.Itoa(b.phase) + ">" + units.Itoa(e.phase) + ":" + units.Itoa(warp) + " "
			}
		}
		if len(stands) > 0 {
			loads[in][key] = stands
			continue
		}
		byPhase := func(a, b event) int { return a.phase - b.phase }
		for _, b := range []event{slices.MinFunc(before, byPhase), slices.MaxFunc(before, byPhase)} {
			of[in][ordered{b.phase, e.phase, warp, e.write}] = true
		}
	}
	for in, pairs := range of {
		fits := func(p ordered) bool {
			for q := range pairs {
				if p.breaks(q) {
					return false
				}
			}
			return !ends(in, p)
		}
		for p := range pairs {
			if !fits(p) {
				stop(in)
			}
		}
		for _, stands := range loads[in] {
			if !slices.ContainsFunc(stands, fits) {
				stop(in)
			}
		}
	}
}
