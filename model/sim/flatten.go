package sim

import (
	"math"
	"slices"

	"github.com/smux-cuda/smux/model/workload"
)

// item is a step of one v-TB in straight-line order: loops are rolled out, and
// where that would take too many items, an item stands for several iterations.
type item struct {
	kind  itemKind
	work  workload.Work // of itemWork, times taken in
	times float64       // how many steps of the kernel it stands for
	step  int           // of the kernel's body that it comes from
	label string

	hoisted bool // it moves in front of a region
}

type itemKind uint8

const (
	itemWork itemKind = iota
	itemBarrier
	itemEnter // of a region
	itemLeave
)

// maxItems bounds the straight-line program of a v-TB with one simulated warp; where there are more warps it is
// shorter, so that a TB takes about the same effort.
const maxItems = 160

// flatten rolls out a kernel's steps. With hoist, work that is marked as Early
// stands in front of its region, as one batch of loads.
func flatten(k *workload.Kernel, hoist bool, warps, most int) []item {
	room := maxItems / warps
	if most > 0 {
		room = min(room, most)
	}
	limit := 1
	for limit < room && size(k.Body, 2*limit) <= room {
		limit *= 2
	}
	f := flattener{items: make([]item, 0, size(k.Body, limit)), limit: limit, hoist: hoist}
	for i := range k.Body {
		f.step = i
		f.steps(k.Body[i:i+1], 1)
	}
	return f.items
}

// size returns the items that steps take when no loop is rolled out more than limit times.
func size(steps []workload.Step, limit int) int {
	n := 0
	for _, s := range steps {
		switch s.Kind {
		case workload.KindLoop:
			n += iterations(s.Times, limit) * size(s.Body, limit)
		case workload.KindRegion:
			n += 2 + size(s.Body, limit)
		default:
			n++
		}
		if n > maxItems {
			return n
		}
	}
	return n
}

// iterations returns how often a loop of so many turns is rolled out.
func iterations(times float64, limit int) int {
	if times <= 0 {
		return 0
	}
	return max(1, min(limit, int(math.Round(min(times, maxItems)))))
}

type flattener struct {
	items    []item
	step     int // of the body
	limit    int
	hoist    bool
	inRegion bool
}

func (f *flattener) steps(steps []workload.Step, times float64) {
	for _, s := range steps {
		switch s.Kind {
		case workload.KindWork:
			f.add(item{kind: itemWork, work: s.Work.Scale(times), times: times, label: s.Label})
		case workload.KindBarrier:
			f.add(item{kind: itemBarrier, times: times, label: s.Label})
		case workload.KindLoop:
			n := iterations(s.Times, f.limit)
			for range n {
				f.steps(s.Body, times*s.Times/float64(n))
			}
		case workload.KindRegion:
			f.region(s, times)
		}
	}
}

// region adds a region with its ends. A region inside a region is part of it.
func (f *flattener) region(s workload.Step, times float64) {
	if f.inRegion {
		f.steps(s.Body, times)
		return
	}
	body := s.Body
	if f.hoist && slices.ContainsFunc(body, func(s workload.Step) bool { return s.Early }) {
		var early workload.Work
		body, early = splitEarly(body)
		if early != (workload.Work{}) {
			f.add(item{kind: itemWork, work: early.Scale(times), times: times, label: s.Label, hoisted: true})
		}
	}
	f.inRegion = true
	f.add(item{kind: itemEnter, times: times, label: s.Label})
	f.steps(body, times)
	f.add(item{kind: itemLeave, times: times, label: s.Label})
	f.inRegion = false
}

// splitEarly takes the Early steps out of a region's body. Their loads go to registers all at once, so they are
// waited for together: as often as the one that waits most.
func splitEarly(body []workload.Step) (rest []workload.Step, early workload.Work) {
	for _, s := range body {
		if !s.Early {
			rest = append(rest, s)
			continue
		}
		all, _ := workload.Total([]workload.Step{s})
		waits := max(early.Waits, mostWaits(s))
		early = early.Add(all)
		early.Waits = waits
	}
	return rest, early
}

// mostWaits returns the waits of the single piece of work in a step that waits most.
func mostWaits(s workload.Step) float64 {
	if s.Kind == workload.KindWork {
		return s.Work.Waits
	}
	most := 0.0
	for _, b := range s.Body {
		most = max(most, mostWaits(b))
	}
	return most
}

func (f *flattener) add(it item) {
	it.step = f.step
	f.items = append(f.items, it)
}
