package cost

import (
	"math/bits"

	"github.com/smux-cuda/smux/model/workload"
)

// reuse counts the bytes that a thread block loads again, by how much it loads between: at place i those with less
// than 2^i bytes of lines between. A cache that holds these has the bytes still, however much the block loads in all.
type reuse [48]float64

// lineBytes are those of a line of the L1.
const lineBytes = 1 << lineShift

// note adds bytes that are loaded again after so many others.
func (r *reuse) note(between, bytes float64) {
	r[min(bits.Len64(uint64(between)), len(r)-1)] += bytes
}

// distances are the parts of what is loaded again, nearest first.
func (r *reuse) distances() (out []workload.Reuse) {
	sum := 0.0
	for _, bytes := range r {
		sum += bytes
	}
	for i, bytes := range r {
		if bytes > 0 {
			out = append(out, workload.Reuse{Between: float64(uint64(1) << i), Part: bytes / sum})
		}
	}
	return out
}
