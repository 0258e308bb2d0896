package selection

import (
	"strings"

	"github.com/smux-cuda/smux/analysis/cost"
	"github.com/smux-cuda/smux/analysis/launches"
	"github.com/smux-cuda/smux/model/occupancy"
	"github.com/smux-cuda/smux/model/sim"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// Estimates is the Source of a machine without a compiler: what it says follows from the
// text alone, so that it is the same everywhere.
type Estimates struct{}

// Costly is false: nothing is compiled.
func (Estimates) Costly() bool { return false }

// Original returns an estimate.
func (Estimates) Original(p Place) (Resources, error) {
	shared, _ := launches.SharedBytes(p.Kernel, p.Instance)
	a := &p.GPU.Arch
	registers := min(cost.Registers(p.Kernel, p.Instance, a.RegistersPerSM/a.ThreadsPerSM), a.RegistersPerThread)
	return Resources{Registers: registers, Shared: shared, Source: "estimate"}, nil
}

// Variant returns an estimate.
func (Estimates) Variant(p Place, w Variant) (Resources, error) { return Estimate(p, w), nil }

// ownWords is the number of registers that a v-TB takes beside the kernel's own values: its number and block, and the
// width of the grid. The rewrites of the ten benchmarks take from -6 to 5 registers more than the original (nvcc
// 11.8, sm_80), the words that are loaded ahead left out; where the compiler takes fewer, that is luck.
const ownWords = 2

// loopWords is the number of registers that a loop over the grid takes beside: blocks that are
// left, whether the v-TB is active, its thread's number and block, which are no longer built-ins,
// and what the compiler keeps of them. The ten benchmarks take by median 6 more with the loop than without in
// named mode, 24 at most, and as many as without in lock mode (docs/evidence/variants.md).
const loopWords = 6

// Looping is the registers of a thread whose launched block loops over the grid, of which it has
// so many without the loop, by an estimate.
func (p Place) Looping(registers int) int { return p.capped(registers + loopWords) }

// Estimate returns what a block of a kernel rewritten takes, guessed from the original in its place: a word more for
// each word that is loaded ahead of a region, and for each that waits for the turn in which it is written to a public
// row, as far as there are registers.
func Estimate(p Place, w Variant) Resources {
	registers := p.Work.Registers + p.ahead(w) + p.waiting(w)
	if w.Factor > 0 && w.Merges() {
		registers += ownWords
	}
	if w.Persistent {
		registers += loopWords
	}
	return Resources{Registers: p.capped(registers), Source: "estimate"}
}

// capped returns a number of registers that a thread can have.
func (p Place) capped(registers int) int {
	return min(registers, max(p.Work.Registers, p.GPU.Arch.RegistersPerThread))
}

// ahead returns how many words per thread a variant loads ahead of a region. Where there
// are no turns it is 0: merge leaves the loads where they are.
func (p Place) ahead(w Variant) int {
	switch {
	case w.Rewriter == variant.Merge, w.Rewriter == variant.AssumeShape, w.Stage == variant.NoStage, w.Resizes():
		return 0
	case w.Stage > 0:
		return min(p.Ahead, w.Stage)
	}
	return p.Ahead
}

// waiting returns how many words per thread wait for a turn: those of the rows that co-vtb leaves public.
func (p Place) waiting(w Variant) int {
	if w.Rewriter != variant.CoVTB || p.Rows == nil || p.Work.Threads == 0 || !p.Rows.definesApart(w.PrivateRows) {
		return 0
	}
	return p.waits(w)
}

// waits counts the words per thread that wait where definitions stand apart.
func (p Place) waits(w Variant) int {
	const word = 4
	return max(0, p.Rows.Rows-w.PrivateRows) * p.Rows.RowBytes / (word * p.Work.Threads)
}

// Resources holds what one launched thread block takes.
type Resources struct {
	Registers int `json:"registers"` // per thread
	Shared    int `json:"shared"`    // bytes, static and dynamic
	Threads   int `json:"threads"`
	Spills    int `json:"spills"` // bytes per thread that the compiler spilled, stores and loads
	// Stack is the bytes per thread of local memory, spilled registers included.
	Stack  int    `json:"stack,omitempty"`
	Source string `json:"source"` // of the registers: "ptxas sm_80" or "estimate"
	// Lines are the machine instructions of the original by source line, where a compiler counted them.
	Lines []cost.Line `json:"-"`
}

// Source gives what thread blocks take. It is asked from several goroutines.
type Source interface {
	// Original is the kernel as it stands.
	Original(Place) (Resources, error)
	// Variant is the kernel rewritten. Threads may be 0, and Shared where it is
	// what the rewriter makes of the original's.
	Variant(Place, Variant) (Resources, error)
	// Costly is set if Variant is worth avoiding for what can't win anyway.
	Costly() bool
}

// Standing says how a kernel stands on an SM: how many of its original thread
// blocks run at once, and what limits them.
type Standing struct {
	Resources
	Blocks    int              `json:"blocksPerSM"` // original thread blocks at once
	Occupancy float64          `json:"occupancy"`   // from 0 to 1
	Limiters  occupancy.Limits `json:"limiters"`
}

// stand places the kernel of a place on an SM under a policy; r tells where the
// registers come from and what was spilled.
func (p Place) stand(policy sim.Policy, r Resources) (Standing, error) {
	pl, err := sim.Place(p.GPU, p.Work, policy)
	if err != nil {
		return Standing{}, err
	}
	r.Registers, r.Shared, r.Threads = pl.Demand.Registers, pl.Demand.Shared, pl.Demand.Threads
	return Standing{Resources: r, Blocks: pl.Resident * pl.VTBs, Occupancy: pl.Static.Occupancy, Limiters: pl.Static.Limiters}, nil
}

// with returns the policy with the resources of a variant, where they differ from what follows from the original.
func (p Place) with(policy sim.Policy, r Resources) sim.Policy {
	if r.Registers != p.Work.Registers {
		policy.Registers = r.Registers
	}
	if r.Shared > 0 && r.Shared != p.Work.Shared {
		policy.Shared = r.Shared
	}
	return policy
}

// Compiled reports whether a compiler counted them.
func (r Resources) Compiled() bool { return strings.HasPrefix(r.Source, "ptxas") }

// Expect returns what the model expects in a place of Report.Places where the kernel is rewritten as w and a thread
// then has so many registers: as they are capped, say. The zero w, or one that merges nothing, is the original with
// other registers. The model does not see what spills cost. The error tells why it can't run.
func (p Place) Expect(w Variant, registers int) (out Prediction, err error) {
	own := Resources{Registers: p.Work.Registers, Source: "as the original"}
	before, err := p.stand(sim.Policy{}, own)
	if err != nil {
		return out, err
	}
	as, policy, err := p.placing(w)
	if err != nil {
		return out, err
	}
	res := Resources{Registers: registers, Source: "as they are capped"}
	policy = as.with(policy, res)
	after, err := as.stand(policy, res)
	if err != nil {
		return out, err
	}
	base, err := Simulated(p, sim.Policy{})
	if err != nil {
		return out, err
	}
	cycles, err := Simulated(as, policy)
	if err != nil {
		return out, err
	}
	return Prediction{GPU: p.GPU.String(), Block: p.block(), Before: before, After: after, Ratio: rounded(base / p.scale(w, cycles, base)), kernel: p.name()}, nil
}

// Lives simulates so many thread blocks of the original on one SM in a place of
// Report.Places, rewritten as w with the predicted resources, and keeps what each
// does when. The zero w is the original. The error tells why it can't run.
func (p Place) Lives(w Variant, as Resources, blocks int) (*sim.Result, error) {
	p, policy, err := p.placing(w)
	if err != nil {
		return nil, err
	}
	return sim.Run(p.GPU, p.Work, p.with(policy, as), sim.Options{Blocks: blocks, Timeline: true})
}
