package sim

// fluid shares the issue slots of the SM equally among the warps that compute:
// each issues at the same rate, at most alone. Since all rates are equal, one
// virtual time serves for all: a warp that has w instructions to issue is done
// when the virtual time has grown by w. That is exact and takes O(log n) a step.
type fluid struct {
	alone    float64 // instructions per cycle of a warp that has the SM to itself
	together float64 // instructions per cycle of all warps
	virtual  float64 // instructions that each has been given
	at       float64 // cycle at which virtual holds
	busy     float64 // instructions issued in total
	queue    queue   // by the virtual time at which each is done
}

// rate is the instructions per cycle that each computing warp gets.
func (f *fluid) rate() float64 {
	return min(f.alone, f.together/float64(f.queue.len()))
}

// advance brings the virtual time to cycle now.
func (f *fluid) advance(now float64) {
	if n := f.queue.len(); n > 0 {
		f.virtual += (now - f.at) * f.rate()
	}
	f.at = now
}

// add lets a warp compute.
func (f *fluid) add(now, instructions float64, warp int32) {
	f.advance(now)
	if f.queue.len() == 0 {
		f.virtual = 0 // keeps sums small, so that they stay exact
	}
	f.busy += instructions
	f.queue.push(f.virtual+instructions, warp)
}

// next is the cycle at which the first warp is done; not ok when none computes.
func (f *fluid) next() (cycle float64, ok bool) {
	if f.queue.len() == 0 {
		return 0, false
	}
	left := max(0, f.queue.top().key-f.virtual)
	return f.at + left/f.rate(), true
}

// pop ends the computation of the warp that next told of.
func (f *fluid) pop(now float64) (warp int32) {
	n := f.queue.top()
	f.virtual, f.at = max(f.virtual, n.key), now
	f.queue.pop()
	return n.warp
}
