package sim

import "github.com/smux-cuda/smux/internal/lists"

// pipe writes the programs of vtb-pipe (PACT'12 §4.2). The program is segments C0 R0 C1 R1 … of work outside and
// inside regions. In each phase one v-TB is in its region R while the other does the C that comes next for it:
//
//	v-TB 0:  C0  R0  C1  R1  C2 …
//	v-TB 1:      C0  R0  C1  R1 …
//
// That takes as long as all C and R one after the other where C is longer than R.
// Policy.Even lets v-TB 1 run on: what is left of C beside R is as long as R.
//
//	v-TB 0:  C0     R0  C1     R1  C2 …
//	v-TB 1:  C0 …   C0  R0 C1… C1  R1 …
//
// The barriers inside R are the launched TB's in block mode, so C is cut into as
// many pieces; they are the v-TB's own in named mode. At each swap all meet.
func pipe(items []item, p Policy, s shape, c costs) []program {
	segments := split(items)
	second := segments
	if p.Even {
		second = even(segments, c)
	}
	var l [2]lowering
	for v := range l {
		l[v] = lowering{builder: builder{costs: c}, p: p, s: s, v: v, owns: s.vtbs}
	}
	for phase := range len(segments) + 1 {
		if phase > 0 {
			for v := range l {
				l[v].label = ""
				l[v].sync(0, s.all(), 1)
			}
		}
		var mine [2]segment
		if phase < len(segments) {
			mine[0] = segments[phase]
		}
		if p.Even {
			mine[1] = second[phase]
		} else if phase > 0 {
			mine[1] = segments[phase-1]
		}
		overlap(&l, mine)
	}
	return []program{l[0].program, l[1].program}
}

// segment is the steps of a C or of an R; an R keeps its ends.
type segment struct {
	region bool
	items  []item
}

// split cuts items at the ends of regions into C0 R0 C1 … Cn.
func split(items []item) []segment {
	segments := []segment{{}}
	for _, it := range items {
		if it.kind == itemEnter {
			segments = append(segments, segment{region: true})
		}
		last := &segments[len(segments)-1]
		last.items = append(last.items, it)
		if it.kind == itemLeave {
			segments = append(segments, segment{})
		}
	}
	for i := range segments {
		if !segments[i].region {
			segments[i].items = inner(segments[i].items, i > 0, i+1 < len(segments))
		}
	}
	return segments
}

// inner drops barriers at the ends of a C that lie at a region: those of the swap serve for them.
func inner(items []item, first, last bool) []item {
	for first && len(items) > 0 && items[0].kind == itemBarrier {
		items = items[1:]
	}
	for last && len(items) > 0 && items[len(items)-1].kind == itemBarrier {
		items = items[:len(items)-1]
	}
	return items
}

// even cuts v-TB 1's segments anew, one for each phase: of the C in front of each
// R, what is longer than the other v-TB's R moves to the phase before.
func even(segments []segment, c costs) []segment {
	out := make([]segment, len(segments)+1)
	for i, s := range segments {
		if s.region || i+1 == len(segments) {
			out[i+1].items = append(out[i+1].items, s.items...)
			out[i+1].region = s.region
			continue
		}
		head, tail := cut(s.items, length(s.items, c)-length(segments[i+1].items, c), c)
		out[i].items = append(out[i].items, head...)
		out[i+1].items = tail
	}
	return out
}

// length is about how long a lone warp takes for items.
func length(items []item, c costs) float64 {
	sum := 0.0
	for _, it := range items {
		if it.kind == itemWork || it.kind == itemBarrier {
			sum += c.alone(it)
		}
	}
	return sum
}

// cut divides items after so many cycles of a lone warp; a piece of work is divided where it has to be.
func cut(items []item, after float64, c costs) (head, tail []item) {
	for i, it := range items {
		takes := c.alone(it)
		switch {
		case after >= takes:
			after -= takes
			continue
		case after > 0 && it.kind == itemWork:
			part, rest := it, it
			part.work, rest.work = it.work.Scale(after/takes), it.work.Scale(1-after/takes)
			part.times, rest.times = it.times*after/takes, it.times*(1-after/takes)
			return append(append(head, items[:i]...), part), append(append(tail, rest), items[i+1:]...)
		}
		return append(head, items[:i]...), append(tail, items[i:]...)
	}
	return append(head, items...), nil
}

// overlap adds one phase: what each v-TB does in it.
func overlap(l *[2]lowering, mine [2]segment) {
	barriers := [2][]item{barriersOf(mine[0].items), barriersOf(mine[1].items)}
	for v := range mine {
		other := barriers[1-v]
		switch {
		case l[v].p.Sync == Named:
			l[v].segment(mine[v].items)
		case len(barriers[v]) == 0 && !mine[v].region && l[v].p.Even:
			l[v].beside(mine[v].items, mine[1-v].items)
		case len(barriers[v]) == 0 && !mine[v].region:
			l[v].between(mine[v].items, other)
		default:
			// Barriers of both serve both; who has fewer waits at the others' in the end.
			l[v].segment(mine[v].items)
			for _, b := range other[min(len(barriers[v]), len(other)):] {
				l[v].sync(0, l[v].s.all(), b.times)
			}
		}
	}
}

// beside adds a C that runs beside other steps with barriers: between two of
// these barriers, as much of it as takes as long.
func (l *lowering) beside(items, other []item) {
	piece := 0.0
	for _, it := range other {
		switch it.kind {
		case itemWork:
			piece += l.alone(it)
		case itemBarrier:
			var head []item
			head, items = cut(items, piece, l.costs)
			l.segment(head)
			l.extra(guardIssue * it.times)
			l.sync(0, l.s.all(), it.times)
			piece = 0
		}
	}
	l.segment(items)
}

func barriersOf(items []item) []item {
	return lists.Filter(items, func(it item) bool { return it.kind == itemBarrier })
}

// segment adds the steps of a segment as they are.
func (l *lowering) segment(items []item) {
	for _, it := range items {
		switch it.kind {
		case itemEnter:
			l.enter(it.label)
		case itemLeave:
			l.leave()
		case itemWork:
			l.work(it.work, it.times)
		case itemBarrier:
			l.barrier(it.times)
		}
	}
}

// between adds a C that runs beside an R with the given barriers: the steps are
// dealt out between them, as a person cuts the code by hand.
func (l *lowering) between(items, barriers []item) {
	pieces := len(barriers) + 1
	done := 0
	for i := range pieces {
		upTo := (len(items)*(i+1) + pieces - 1) / pieces
		for ; done < upTo; done++ {
			l.outside(items[done])
		}
		if i < len(barriers) {
			l.extra(guardIssue * barriers[i].times)
			l.sync(0, l.s.all(), barriers[i].times)
		}
	}
}
