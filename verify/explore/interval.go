package explore

import "slices"

// Interval holds what the threads of a launch do between two barriers of their whole block or grid, or before the first, or
// after the last: launches and intervals count from 0.
type Interval struct{ Launch, Number int }

// Stretch is an interval in which the order of steps matters.
type Stretch struct {
	Interval
	Kernel      string
	Begin, End  uint64 // the barriers, as Meeting.Barrier; 0 where it is the kernel's begin or end
	Orders      int    // the first, and those that begin to differ from an earlier one in it
	Whole       bool   // each order that differs from the first in it, or after it, was run
	interesting bool
}

func (e *Explorer) stretch(i Interval) *Stretch {
	s := e.stretches[i]
	if s == nil {
		s = &Stretch{Interval: i, Orders: 1}
		e.stretches[i] = s
	}
	return s
}

// barrier notes where an interval begins.
func (e *Explorer) barrier(i Interval, kernel string, at uint64) {
	s := e.stretch(i)
	if s.Begin == 0 {
		s.Kernel, s.Begin = kernel, at
		before := e.stretch(Interval{i.Launch, i.Number - 1})
		before.Kernel, before.End = kernel, at
	}
}

// closed notes that nothing is left to do after node i.
func (e *Explorer) closed(i int) {
	before := map[Interval]bool{}
	for k := range e.nodes[:i+1] {
		if k < i && len(e.nodes[k].done) > 0 {
			return
		}
		before[e.nodes[k].interval] = true
	}
	for in, s := range e.stretches {
		s.Whole = s.Whole || !before[in]
	}
}

// Stretches returns the intervals in which the order of steps was seen to matter, as they come.
func (e *Explorer) Stretches() (out []Stretch) {
	for _, s := range e.stretches {
		if s.interesting {
			out = append(out, *s)
		}
	}
	slices.SortFunc(out, func(a, b Stretch) int { return a.compare(b.Interval) })
	return out
}

func (i Interval) compare(o Interval) int {
	if i.Launch != o.Launch {
		return i.Launch - o.Launch
	}
	return i.Number - o.Number
}

// Within returns an explorer of one interval: of the orders that are still to be run after a first run, those that differ
// in it alone. All the others keep the first order.
func Within(i Interval, first *Trace) (*Explorer, error) {
	e := &Explorer{only: &i}
	e.Next()
	return e, e.Learn(first)
}
