package stress

import (
	"fmt"

	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/occupancy"
)

type Level struct {
	Blocks    int     `json:"blocks"`    // thread blocks per SM
	Occupancy float64 `json:"occupancy"` // from 0 to 1
	// Bytes of shared memory per thread block that each launch takes in addition.
	Bytes int `json:"bytes,omitempty"`
	// Cap is the thread blocks per SM for which registers are capped, and Registers the most per thread; 0 for no cap.
	Cap       int `json:"cap,omitempty"`
	Registers int `json:"registers,omitempty"`
	// Carveout prefers the largest carve-out of shared memory.
	Carveout bool `json:"carveout,omitempty"`
}

func (l Level) Original() bool { return l.Bytes == 0 && l.Cap == 0 && !l.Carveout }

func (l Level) How() string {
	switch {
	case l.Cap > 0:
		return fmt.Sprintf("registers capped for %d", l.Cap)
	case l.Bytes > 0:
		return fmt.Sprintf("%d bytes more", l.Bytes)
	case l.Carveout:
		return "largest carve-out"
	default:
		return "as is"
	}
}

// mostBelow and mostAbove bound the levels with fewer and with more thread blocks than the kernel has.
const mostBelow, mostAbove = 10, 6

// Levels returns the levels of a kernel with demand d on g: the original first, then by rising thread blocks, but for numbers
// that neither shared memory nor register steps reach, and some of very many below. The error is occupancy.Compute's.
func Levels(g *gpu.GPU, d occupancy.Demand) ([]Level, error) {
	now, err := occupancy.Compute(g, d)
	if err != nil {
		return nil, err
	}
	carveout := len(g.Arch.Carveouts) > 1 && g.Arch.Major >= 7 // a preference of each kernel from there on
	levels := []Level{{Blocks: now.Blocks, Occupancy: now.Occupancy}}
	for _, blocks := range below(now.Blocks) {
		// By the fewest bytes of unused shared memory that do it, since they are taken from the cache.
		bytes, after := (max(0, occupancy.MaxShared(g, blocks+1)+1-d.Shared)+15)/16*16, d
		after.Shared += bytes
		if r, err := occupancy.Compute(g, after); err == nil && r.Blocks == blocks {
			levels = append(levels, Level{Blocks: blocks, Occupancy: r.Occupancy, Bytes: bytes, Carveout: carveout})
		}
	}
	if carveout {
		levels = append(levels, Level{Blocks: now.Blocks, Occupancy: now.Occupancy, Carveout: true})
	}
	steps, _ := occupancy.RegisterSteps(g, d)
	for _, s := range steps[:min(len(steps), mostAbove)] {
		levels = append(levels, Level{Blocks: s.Blocks, Occupancy: s.Occupancy, Cap: s.Blocks, Registers: s.Registers, Carveout: carveout})
	}
	return levels, nil
}

// below returns the numbers of thread blocks under n to try, rising: all, or evenly chosen ones with least and greatest.
func below(n int) []int {
	count := min(n-1, mostBelow)
	var out []int
	for i := range count {
		out = append(out, 1+(2*i*(n-2)+count-1)/(2*max(count-1, 1)))
	}
	return out
}
