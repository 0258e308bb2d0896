package cost

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/smux-cuda/smux/model/workload"
)

// node is a place where work is counted: a stretch of code, a barrier, a loop that holds barriers or regions, or a
// region. As a profiler does, the walk comes by several times and adds up; the steps are the averages.
type node struct {
	kind  workload.Kind
	key   any // what tells it from its siblings
	label int // line
	early bool

	runs    float64 // how often a warp comes by, for a loop: how often its body runs
	work    workload.Work
	lines   map[place]*lineWork
	kids    []*node
	at      int  // the child that was visited last
	visited bool // one was, in this turn
}

// place is a line of a file.
type place struct {
	file string
	line int
	in   int // the line of the kernel's own body: that of the call, in a function that it calls
}

func (p place) compare(q place) int {
	return cmp.Or(cmp.Compare(p.file, q.file), cmp.Compare(p.line, q.line), cmp.Compare(p.in, q.in))
}

// places returns the lines of a node in one order: sums of floats depend on it.
func (n *node) places() []place {
	return slices.SortedFunc(maps.Keys(n.lines), place.compare)
}

// lineWork holds what the walk counted for a line of the source.
type lineWork struct {
	issue  float64 // warp instructions
	memory float64 // bytes that a lane moves by accesses to shared and global memory
	waits  float64 // for loads from global memory
	// loads are those of shared memory by instruction, and joined how many wavefronts of these are
	// saved at most where a compiler loads several words at a time.
	loads, joined float64
}

// child finds or makes the child with a key after the one visited last.
func (n *node) child(kind workload.Kind, key any, line int) *node {
	for i := n.at; i < len(n.kids); i++ {
		if n.kids[i].kind == kind && n.kids[i].key == key {
			n.at = i
			return n.kids[i]
		}
	}
	for i := range n.at {
		if n.kids[i].kind == kind && n.kids[i].key == key {
			return n.kids[i]
		}
	}
	k := &node{kind: kind, key: key, label: line}
	at := min(n.at+1, len(n.kids))
	n.kids = slices.Insert(n.kids, at, k)
	n.at = at
	return k
}

// steps turns counted work into steps, for code around them that runs outer
// times: loops run whole numbers of times, and totals stay what was counted.
func (n *node) steps(outer float64) []workload.Step {
	var out []workload.Step
	for _, k := range n.kids {
		s := workload.Step{Kind: k.kind, Early: k.early}
		if k.label > 0 {
			s.Label = strconv.Itoa(k.label)
		}
		switch k.kind {
		case workload.KindWork:
			s.Work = k.work.Scale(1 / outer)
			s.Work.Again = math.Min(s.Work.Again, s.Work.Loads)
			if s.Work == (workload.Work{}) {
				continue
			}
			if last := len(out) - 1; last >= 0 && out[last].Kind == workload.KindWork && out[last].Early == s.Early && small(out[last].Work, s.Work) {
				out[last].Work = out[last].Work.Add(s.Work)
				continue
			}
		case workload.KindBarrier:
			if k.runs/outer < 0.5 {
				continue // a branch that is the less likely one
			}
		case workload.KindLoop:
			s.Times = math.Max(1, math.Round(k.runs/outer))
			if s.Body = k.steps(outer * s.Times); len(s.Body) == 0 {
				continue
			}
		case workload.KindRegion:
			if s.Body = k.steps(outer); len(s.Body) == 0 {
				continue
			}
		}
		out = append(out, s)
	}
	return out
}

// small reports whether two neighbouring pieces of work may as well be one:
// one of them is no more than a few instructions that wait for nothing.
func small(a, b workload.Work) bool {
	return a.Waits == 0 && a.Issue < 16 || b.Waits == 0 && b.Issue < 16
}

// each calls f for a node and all below it.
func (n *node) each(f func(*node)) {
	f(n)
	for _, k := range n.kids {
		k.each(f)
	}
}
