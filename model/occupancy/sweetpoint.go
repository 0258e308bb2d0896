package occupancy

import "github.com/smux-cuda/smux/model/gpu"

// wordBytes is the bytes that a demoted register takes in shared memory.
const wordBytes = 4

// Demotion is a number of registers per thread that move to shared memory, and
// what comes of it.
type Demotion struct {
	Words  int    `json:"words"`  // registers per thread that move
	Demand Demand `json:"demand"` // after they moved
	Before Result `json:"before"`
	After  Result `json:"after"`
}

// Demote is the demand of a kernel that keeps that many of its registers in
// shared memory, one word for each thread after the bytes it has, as RegDem lays
// them out.
func (d Demand) Demote(words int) Demand {
	d.Registers -= words
	if words > 0 {
		d.Shared = roundUp(d.Shared, wordBytes) + words*d.Threads*wordBytes
	}
	return d
}

// SweetPoint is the demotion with which the most threads run on an SM of g, as
// Hayes and Zhang define it, by the limits of Compute: registers and shared bytes
// given out in granules, and all other limits. Of those with equally many
// threads it is the one that demotes the fewest; 0 words where demotion gains nothing.
//
// A kernel that can't run as it is has no sweet point; the error is that of Compute.
func SweetPoint(g *gpu.GPU, d Demand) (Demotion, error) {
	before, err := Compute(g, d)
	if err != nil {
		return Demotion{}, err
	}
	best := Demotion{Demand: d, Before: before, After: before}
	for words := 1; words < d.Registers; words++ {
		after := d.Demote(words)
		r, err := Compute(g, after)
		if err != nil { // more words take more shared memory still
			break
		}
		if r.Threads > best.After.Threads {
			best.Words, best.Demand, best.After = words, after, r
		}
	}
	return best, nil
}
