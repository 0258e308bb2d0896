package modelcheck

import (
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/hardware"
	"github.com/smux-cuda/smux/model/sim"
	"github.com/smux-cuda/smux/model/timing"
	"github.com/smux-cuda/smux/model/workload"
)

// Counts hold what the hardware counts over a run of the kernel, as the model has it.
// Sectors have 32 bytes.
type Counts struct {
	Instructions float64 // of warps
	Wavefronts   float64 // of shared memory
	L2Read       float64 // sectors that loads ask of the L2: what the L1 does not have
	L2Write      float64 // sectors that stores pass to the L2
	DRAM         float64 // sectors that go to or come from the DRAM
}

// sector is the bytes of one.
const sector = 32

// time fills in how long the kernel runs and what is counted.
func (p *Prediction) time(g *gpu.GPU, w *workload.Kernel, closed bool) error {
	r, err := sim.Run(g, w, sim.Policy{}, sim.Options{})
	if err != nil {
		return err
	}
	perSM := float64(w.Blocks) / float64(g.SMs)
	cycles := r.CyclesPerBlock * perSM
	if closed {
		t := timing.Estimate(g, w, p.Static.Blocks)
		cycles = t.Total
	}
	p.Milliseconds = cycles / (g.ClockMHz * 1e3)

	work, _ := workload.Total(w.Body)
	warps := float64((w.Threads + hardware.WarpSize - 1) / hardware.WarpSize * w.Blocks)
	// As in package sim: what a thread block loads again hits the L1 in so far as the
	// footprints of all resident ones fit.
	l1 := float64(g.Arch.UnifiedBytes - r.Static.Configured)
	near := w.Kept(r.Resident, w.Footprint*float64(r.Resident), l1)
	p.Counts = Counts{
		Instructions: work.Issue * warps, Wavefronts: work.Shared * warps,
		L2Read: (work.Loads - near*work.Again) * warps / sector, L2Write: work.Stores * warps / sector,
		DRAM: r.Memory * r.Cycles * g.BytesPerCycle() / sector / float64(r.Blocks) * float64(w.Blocks),
	}
	return nil
}
