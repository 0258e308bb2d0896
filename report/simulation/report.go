// Package simulation reports what model/sim makes of kernels: the cycles of each under
// the policies by which its shared memory can be shared, the original first, for an SM of
// each GPU. What a thread block does is counted by analysis/cost or given by hand. The
// order of the policies is what counts: cycles are not measurements.
package simulation

import (
	"fmt"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/model/occupancy"
	"github.com/smux-cuda/smux/report"
)

// Schema is the version of the JSON form of the reports of simulate.
const Schema = 1

// Report is the document that `smux simulate --json` prints.
type Report struct {
	Schema  int              `json:"schema"`
	Kernels []Kernel         `json:"kernels"`
	Unknown []report.Unknown `json:"unknown"`
}

// Kernel is a kernel, as it is launched in one form, on one GPU.
type Kernel struct {
	Name          string         `json:"name"` // "" for segments without a file
	Position      *diag.Position `json:"position,omitempty"`
	Block         *[3]int        `json:"block,omitempty"`
	GPU           string         `json:"gpu"`
	CC            string         `json:"cc"`
	Threads       int            `json:"threads"`
	Registers     int            `json:"registers"`
	RegistersFrom string         `json:"registersFrom,omitempty"` // "ptxas sm_80", "estimate", "" by hand
	Shared        int            `json:"shared"`
	Blocks        int            `json:"blocks"`      // thread blocks of the original that the SM runs
	Segments      string         `json:"segments"`    // what a warp does, as --segments takes it
	RegionShare   *float64       `json:"regionShare"` // of a lone thread block's cycles, null without a region and where none can run
	Assumptions   []string       `json:"assumptions,omitempty"`
	Notes         []string       `json:"notes,omitempty"`
	Runs          []Run          `json:"runs"`

	sharedKnown bool // Shared is all that a thread block takes
}

// Run is one policy. Where the policy is unavailable, Result is null and
// Reason tells why.
type Run struct {
	Policy string `json:"policy"` // as rewrites are written elsewhere: "vtb named N=2"
	// Hardware says that no rewrite does this: it is a proposal for other hardware.
	Hardware bool `json:"hardware,omitempty"`
	// Refused says why smux can't rewrite the kernel so.
	Refused string  `json:"refused,omitempty"`
	Result  *Result `json:"result"`
	Reason  string  `json:"reason,omitempty"`
}

// Result holds what a policy does.
type Result struct {
	Cycles   float64          `json:"cycles"`
	PerBlock float64          `json:"cyclesPerBlock"`
	SpeedUp  *float64         `json:"speedUp"` // over the original, null where that cannot run
	Resident int              `json:"resident"`
	Limiters occupancy.Limits `json:"limiters"`
	Issue    float64          `json:"issue"`  // part of the cycles in which instructions are issued
	Memory   float64          `json:"memory"` // … in which the memory is busy
	Pipe     float64          `json:"pipe"`   // … in which the shared-memory pipe is busy
}

// title is fft1024, block 64 on gtx285.
func (k Kernel) title() string {
	name := k.Name
	if name == "" {
		name = prose.Count(k.Threads, "thread")
	}
	if k.Block != nil {
		name += ", block " + analysis.ShapeText(*k.Block)
	}
	return fmt.Sprintf("%s on %s", name, k.GPU)
}
