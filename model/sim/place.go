package sim

import (
	"errors"
	"fmt"
	"math"

	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/hardware"
	"github.com/smux-cuda/smux/model/occupancy"
	"github.com/smux-cuda/smux/model/workload"
)

// IllegalError reports why a policy is unavailable for a kernel on a GPU.
type IllegalError struct {
	Policy Policy
	Reason string
	Err    error // of the occupancy calculation, if that is why
}

func (e *IllegalError) Error() string { return fmt.Sprintf("%s: %s", e.Policy, e.Reason) }
func (e *IllegalError) Unwrap() error { return e.Err }

// Cause returns why a policy is unavailable, without its name.
func Cause(err error) string {
	var illegal *IllegalError
	if errors.As(err, &illegal) {
		return illegal.Reason
	}
	return err.Error()
}

// Placement says how launched TBs fit on an SM.
type Placement struct {
	Policy   Policy           // with the private part that was chosen
	Demand   occupancy.Demand // of a launched TB
	Static   occupancy.Result // of that demand; for HW of the original, K in Blocks
	Resident int              // launched TBs at once
	VTBs     int              // in a launched TB
	Warps    int              // of a v-TB

	table   smm // of the hardware schemes
	private int // shared bytes that a TB has for life there
}

// Place reports how many launched TBs of a kernel under policy p an SM of g holds. The error is an *IllegalError.
func Place(g *gpu.GPU, k *workload.Kernel, p Policy) (Placement, error) {
	if err := p.check(); err != nil {
		return Placement{}, &IllegalError{Policy: p, Reason: err.Error()}
	}
	if k.Threads <= 0 {
		return Placement{}, &IllegalError{Policy: p, Reason: "the kernel has no threads"}
	}
	n := p.merged()
	warps := warpsOf(k.Threads)
	if p.Sync != Block && n > 1 && k.Threads%hardware.WarpSize != 0 {
		return Placement{}, &IllegalError{Policy: p, Reason: fmt.Sprintf("%s mode needs a multiple of %d threads, not %d", p.Sync, hardware.WarpSize, k.Threads)}
	}
	if n*k.Threads > g.Arch.ThreadsPerBlock {
		return Placement{}, &IllegalError{Policy: p, Reason: fmt.Sprintf("%d x %d threads are more than the %d of a thread block", n, k.Threads, g.Arch.ThreadsPerBlock)}
	}
	pl := Placement{Policy: p, VTBs: n, Warps: warps}
	var err error
	switch p.Kind {
	case HW, CoHW:
		err = pl.hardware(g, k)
	default:
		err = pl.static(g, k)
	}
	if err != nil {
		return Placement{}, &IllegalError{Policy: pl.Policy, Reason: err.Error(), Err: err}
	}
	return pl, nil
}

// demand returns the demand of a launched TB with so many shared bytes.
func (pl *Placement) demand(k *workload.Kernel, shared int) occupancy.Demand {
	p := pl.Policy
	d := occupancy.Demand{Threads: pl.VTBs * k.Threads, Registers: k.Registers, Shared: shared}
	if p.Registers > 0 {
		d.Registers = p.Registers
	}
	if pl.VTBs > 1 && p.Sync != Block {
		d.Barriers = 1 + pl.VTBs
		if p.Sync == Named && p.Kind != Merge && p.Kind != Pipe {
			d.Barriers += pl.VTBs
			if p.Numbered {
				d.Barriers = hardware.BarriersPerBlock
			}
		}
	}
	return d
}

// static places launched TBs whose shared memory is theirs for life.
func (pl *Placement) static(g *gpu.GPU, k *workload.Kernel) error {
	p := &pl.Policy
	shared := k.Shared
	switch p.Kind {
	case Merge:
		shared = p.N * k.Shared
	case Dyn:
		shared = p.M * k.Shared
	case CoVTB:
		if p.Private == 0 {
			pl.split(g, k)
		}
		shared = coShared(k.Shared, p.N, p.Private)
	}
	if p.Sync == Lock {
		shared += 4 * (max(1, p.M) + p.N) // the locks and who has which set
	}
	if p.Shared > 0 {
		shared = p.Shared
	}
	pl.Demand = pl.demand(k, shared)
	r, err := occupancy.Compute(g, pl.Demand)
	if err != nil {
		return err
	}
	pl.Static, pl.Resident = r, r.Blocks
	return pl.keepsCarveout(g, k)
}

// keepsCarveout refuses a policy that makes the SM leave the carve-out that it is
// set to: what is asked is how best to use that one.
func (pl *Placement) keepsCarveout(g *gpu.GPU, k *workload.Kernel) error {
	if g.Carveout == 0 || pl.Policy.Kind == Baseline {
		return nil
	}
	original, err := occupancy.Compute(g, occupancy.Demand{Threads: k.Threads, Registers: k.Registers, Shared: k.Shared})
	if err == nil && pl.Static.Carveout > original.Carveout {
		return fmt.Errorf("%d bytes of shared memory; the SM is set to %d", pl.Demand.Shared, original.Carveout)
	}
	return nil
}

// coShared returns the bytes of n private parts and one public one.
func coShared(shared, n int, private float64) int {
	own := int(math.Round(float64(shared) * private))
	return n*own + shared - own
}

// split takes the largest private part with which as many launched TBs run as
// with none: it fills what the SM would waste (PACT'12 §4.3).
func (pl *Placement) split(g *gpu.GPU, k *workload.Kernel) {
	p := &pl.Policy
	blocks := func(private float64) int {
		r, err := occupancy.Compute(g, pl.demand(k, coShared(k.Shared, p.N, private)))
		if err != nil {
			return 0
		}
		return r.Blocks
	}
	most := blocks(0)
	const steps = 64
	for i := steps; i > 0 && most > 0; i-- {
		if part := float64(i) / steps; blocks(part) == most {
			p.Private = part
			return
		}
	}
}

// hardware places TBs up to K + Cap, K the number that fit when each holds its
// shared memory for life; the other limits still hold (PACT'12 §5).
func (pl *Placement) hardware(g *gpu.GPU, k *workload.Kernel) error {
	p := &pl.Policy
	pl.Demand = pl.demand(k, k.Shared)
	r, err := occupancy.Compute(g, pl.Demand)
	if err != nil {
		return err
	}
	pl.Static = r
	pl.Resident = r.Blocks + p.Cap
	for l, limit := range r.ByLimit {
		if occupancy.Limit(l) != occupancy.Shared {
			pl.Resident = min(pl.Resident, limit)
		}
	}
	total, each := r.Carveout, r.BlockShared
	if p.Kind == CoHW {
		if p.Private == 0 {
			p.Private = hardwareSplit(total, each, pl.Resident, r.Blocks)
		}
		own := int(float64(each) * p.Private)
		pl.private = own
		total, each = total-pl.Resident*own, each-own
		if total < each {
			return fmt.Errorf("a private part of %g leaves no room for the rest", p.Private)
		}
	}
	pl.table = smm{free: total, need: each}
	return nil
}

// hardwareSplit returns the largest private part, in 64ths, that leaves room for the
// public part of one block in K, and of one at least.
func hardwareSplit(total, each, resident, static int) float64 {
	if resident <= static {
		return 0
	}
	for i := 63; i > 0; i-- {
		own := each * i / 64
		if total-resident*own >= each-own {
			return float64(i) / 64
		}
	}
	return 0
}
