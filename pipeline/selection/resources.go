package selection

import (
	"strings"

	"github.com/smux-cuda/smux/analysis/cost"
	"github.com/smux-cuda/smux/model/occupancy"
	"github.com/smux-cuda/smux/model/sim"
)

// Resources holds what one launched thread block takes.
type Resources struct {
	Registers int `json:"registers"` // per thread
	Shared    int `json:"shared"`    // bytes, static and dynamic
	Threads   int `json:"threads"`
	Spills    int `json:"spills"` // bytes per thread that the compiler spilled, stores and loads
	// Stack is the bytes per thread of local memory, spilled registers included.
	Stack  int    `json:"stack,omitempty"`
	Source string `json:"source"` // of the registers: "ptxas sm_80" or "estimate"
	// Lines are the machine instructions of the original by source line, where a
	// compiler counted them.
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

// with returns the policy with the resources of a variant, where they differ
// from what follows from the original.
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
