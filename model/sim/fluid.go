package sim

import "math"

// fluid shares the issue slots and the units of a part of the SM among its warps that compute. A warp that has the
// part to itself issues at a rate of its own, by what its instructions wait for; where all of these rates together
// exceed the slots, or what a unit takes, each is slowed down by the same factor. So one virtual time serves for all:
// the time that each would have had to itself. A warp is done when that has grown by what it takes alone, which is
// exact and takes O(log n) a step.
type fluid struct {
	together mix     // instructions per cycle that there are slots for, and that each unit takes; infinite for a unit without a rate
	wanted   mix     // instructions per cycle that all warps would issue
	spinning float64 // part of the slots wanted that does no work: warps that try to take a lock
	rates    []*mix  // of each warp that computes, in instructions per cycle
	slow     float64 // cycles that it takes for one of virtual time to pass: 1 where slots are free
	virtual  float64 // cycles that each warp has had to itself
	at       float64 // cycle at which virtual holds
	due      float64 // cycle at which the first warp is done, infinite where none computes
	busy     float64 // instructions of work issued in total
	queue    queue   // by the virtual time at which each is done
	stale    bool    // slow and due do not follow from the warps that compute: see settle
}

func newFluid(together mix, rates []*mix) fluid {
	for i := range together {
		if together[i] <= 0 {
			together[i] = math.Inf(1)
		}
	}
	return fluid{together: together, rates: rates, slow: 1, due: math.Inf(1)}
}

// advance brings the virtual time to cycle now.
func (f *fluid) advance(now float64) {
	if len(f.queue.nodes) > 0 {
		f.virtual += (now - f.at) / f.slow
	}
	f.at = now
}

// settle reckons anew what follows from the warps that compute, once the cycle is over in which
// they changed: by how much the slots, or a unit, are wanted more than they take. What is wanted
// less slows nothing down, and needs no division.
func (f *fluid) settle() {
	f.stale = false
	f.slow = 1
	for i := range f.wanted {
		if w, most := f.wanted[i], f.together[i]; w > most {
			f.slow = max(f.slow, w/most)
		}
	}
	f.due = math.Inf(1)
	if len(f.queue.nodes) > 0 {
		f.due = f.at + max(0, f.queue.nodes[0].key-f.virtual)*f.slow
	}
}

// add lets a warp issue so many instructions, at rates that take so many cycles when it is alone.
func (f *fluid) add(now, instructions float64, rates *mix, alone float64, warp int32) {
	f.advance(now)
	if len(f.queue.nodes) == 0 {
		f.virtual, f.wanted = 0, mix{f.spinning} // keeps sums small, so that they stay exact
	}
	f.busy += instructions
	for i := range f.wanted {
		f.wanted[i] += rates[i]
	}
	f.rates[warp] = rates
	f.queue.push(f.virtual+alone, warp)
	f.stale = true
}

// pop ends the computation of the warp that is done first.
func (f *fluid) pop() (warp int32) {
	n := f.queue.top()
	f.virtual, f.at = max(f.virtual, n.key), f.due
	f.queue.pop()
	rates := f.rates[n.warp]
	for i := range f.wanted {
		f.wanted[i] -= rates[i]
	}
	f.stale = true
	return n.warp
}

// spin adds to what is issued without doing work; less than 0 subtracts.
func (f *fluid) spin(now, rate float64) {
	f.advance(now)
	f.wanted[slots] += rate
	f.spinning += rate
	f.stale = true
}
