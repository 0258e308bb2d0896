package sim

import (
	"github.com/smux-cuda/smux/model/hardware"
	"github.com/smux-cuda/smux/model/workload"
)

// v-TBs that are not whole warps share some: v-TB v has the threads vB ... (v+1)B-1 of
// the launched TB. What needs no turn a shared warp does once, with the lanes of all of
// its v-TBs; of turns it takes one for each of them, one after the other.

// warpsOf counts the warps of so many threads.
func warpsOf(threads int) int { return (threads + hardware.WarpSize - 1) / hardware.WarpSize }

// pack is the shape of a launched TB in which v-TBs of so many threads share warps.
func (s shape) pack(threads int) shape {
	s.packed, s.warps, s.real = threads, 1, 1
	return s.of(s.vtbs)
}

// part is the part of v-TB v's threads that program l's warp holds.
func (l *lowering) part(v int) float64 {
	b, w := l.s.packed, l.v*hardware.WarpSize
	return float64(max(0, min(w+hardware.WarpSize, (v+1)*b)-max(w, v*b))) / float64(b)
}

// has reports whether a turn is that of the program.
func (l *lowering) has(turn int) bool {
	if l.s.packed == 0 {
		return turn == l.v
	}
	return l.part(turn) > 0
}

// lanes returns the work of a warp of a v-TB, as this program's warp does it for all of its
// v-TBs: the same instructions, with the bytes and wavefronts of its lanes.
func (l *lowering) lanes(w workload.Work) workload.Work {
	if l.s.packed == 0 {
		return w
	}
	parts := 0.0
	for v := range l.s.turns {
		parts += l.part(v)
	}
	return l.moved(w, parts)
}

// inTurn adds a step of the turn of one v-TB.
func (l *lowering) inTurn(turn int, it item) {
	if l.s.packed == 0 || it.kind != itemWork {
		l.outside(it)
		return
	}
	l.label = it.label
	l.work(l.moved(it.work, l.part(turn)), it.times)
}

// moved is the work of a warp that moves what so many whole v-TBs do.
func (l *lowering) moved(w workload.Work, vtbs float64) workload.Work {
	data := w.Scale(vtbs * float64(warpsOf(l.s.packed)))
	data.Issue, data.Waits = w.Issue, w.Waits
	return data
}
