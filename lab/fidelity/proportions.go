package fidelity

import (
	"fmt"
	"math"

	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/workload"
)

// The paper's figures on its ten benchmarks: the share of a thread block's life in
// regions is 25.6 % on (geometric) average and high for three of them. "High" is
// taken to be 70 %; the other seven are taken to be equal, so that the mean is
// right.
const (
	meanShare = 0.256
	highShare = 0.70
)

var high = map[string]bool{"HG": true, "MM": true, "TP": true}

// Proportions are kernels in the shapes of Table 1 that are nothing but the
// paper's proportions: eight times a segment outside regions, half of which
// computes and half of which waits for memory, and a segment in a region with one
// barrier inside. They know nothing of what the benchmarks compute.
func Proportions() ([]*workload.Kernel, error) {
	g, err := gpu.Lookup("gtx480@16")
	if err != nil {
		return nil, err
	}
	others := float64(len(table1) - len(high))
	low := math.Exp((float64(len(table1))*math.Log(meanShare) - float64(len(high))*math.Log(highShare)) / others)
	var out []*workload.Kernel
	for _, k := range table1 {
		share := low
		if high[k.name] {
			share = highShare
		}
		k.body = proportioned(g, share)
		w, err := k.workload()
		if err != nil {
			return nil, err
		}
		out = append(out, w)
	}
	return out, nil
}

// proportioned returns a body of which a lone warp on g spends that share in regions.
func proportioned(g *gpu.GPU, share float64) string {
	const cycles = 4000 // of an iteration
	a := &g.Arch
	perInstruction := a.DependentIssue / 2
	outside, inside := (1-share)*cycles, share*cycles/2
	waits := outside / 2 / (a.MemoryLatency + 128/g.BytesPerCycle())
	wavefronts := math.Round(inside / 20) // a tenth of the time, at half a wavefront per cycle
	accesses := wavefronts * (float64(a.SubPartitions)/a.IssuePerCycle + 1/a.SharedPerCycle)
	instructions := wavefronts + (inside-a.SharedLatency-accesses-perInstruction)/perInstruction
	return fmt.Sprintf("x8(C%.1f M%.0fx%.2f R(C%.1f+S%.0f B C%.1f+S%.0f) B)", outside/2/perInstruction, 128*waits, waits,
		instructions, wavefronts, instructions, wavefronts)
}
