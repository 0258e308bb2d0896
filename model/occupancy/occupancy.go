// Package occupancy computes how many thread blocks of a kernel an SM runs at
// once, what limits them, and what would have to change for one more.
//
// From compute capability 3.5 to 9.0 the results equal those of NVIDIA's cuda_occupancy.h; before that they follow
// the occupancy calculator sheets, after that the CUDA C++ Programming Guide's table of technical specifications.
// Partitioned global caching (an option of compute capability
// 5.2 and 6.1) is taken to be off, and a kernel that needs more shared memory
// than a block gets by default to opt in. Two things differ from the header on
// purpose: 256 registers per thread are too many on every GPU (the header lets
// 7.0 and later have them), and when barriers allow the fewest blocks they alone
// are reported as the limiter (the header leaves the flags of what would have limited without them).
package occupancy

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/hardware"
)

// Demand is the demand of one thread block on an SM. Registers, shared bytes or
// barriers of 0 put no limit on the blocks.
type Demand struct {
	Threads   int `json:"threads"`   // per thread block
	Registers int `json:"registers"` // per thread
	Shared    int `json:"shared"`    // static and dynamic bytes per thread block, what the system reserves not included

	// Barriers is the number of barrier ids that the kernel reserves (ptxas
	// -v: "used 5 barriers"). They limit the blocks from compute capability
	// 9.0 on.
	Barriers int `json:"barriers,omitempty"`
}

// Unlimited stands in Result.ByLimit where a resource puts no limit on the thread blocks.
const Unlimited = math.MaxInt32

// Result is the occupancy of a kernel on one SM.
type Result struct {
	Blocks    int     `json:"blocks"`    // thread blocks at once
	Warps     int     `json:"warps"`     // warps at once
	Threads   int     `json:"threads"`   // threads at once, those of the demand
	Occupancy float64 `json:"occupancy"` // Warps over what the SM can hold, from 0 to 1

	ByLimit  ByLimit `json:"byLimit"`  // blocks that each resource alone would allow
	Limiters Limits  `json:"limiters"` // the resources that allow exactly Blocks; several when they tie

	// Carveout is the shared bytes per SM that the blocks could share: what
	// the board is set to, or else all that it has, as in cuda_occupancy.h.
	Carveout int `json:"carveout"`
	// Configured is the carve-out that the SM needs for Blocks: where the board isn't set to one, the smallest that
	// holds them, which the driver takes to leave the rest to the L1 cache; else Carveout.
	Configured   int `json:"configured"`
	BlockShared  int `json:"blockShared"`  // shared bytes that a block takes, rounding and reserve included
	WastedShared int `json:"wastedShared"` // shared bytes of Carveout that no block uses
}

// Compute returns the occupancy of demand d on an SM of g.
//
// A kernel that asks for more shared memory than a block gets by default is taken to opt in. The error is an
// *ImpossibleError where not even one block can run, and another where d is not a demand at all (no threads,
// something negative). With an *ImpossibleError the result has ByLimit and Limiters all the same. It takes no memory
// where there is no error.
func Compute(g *gpu.GPU, d Demand) (Result, error) {
	if d.Threads <= 0 || d.Registers < 0 || d.Shared < 0 || d.Barriers < 0 {
		return Result{}, invalid(d)
	}
	a := &g.Arch
	warps := warpsOf(d.Threads)

	var r Result
	r.BlockShared = roundUp(min(d.Shared, absurd)+a.SharedReserved, a.SharedGranularity)
	r.Carveout = carveout(g, r.BlockShared)
	r.ByLimit = ByLimit{
		Shared:    sharedLimit(a, r.BlockShared, r.Carveout),
		Registers: registerLimit(a, d.Registers, warps),
		Threads:   threadLimit(a, d.Threads, warps),
		Blocks:    a.BlocksPerSM,
		Barriers:  barrierLimit(a, d.Barriers),
	}
	r.Blocks, r.Limiters = r.ByLimit.min()
	if r.Blocks == 0 {
		return r, impossible(g, d, r.Limiters)
	}
	r.Warps = r.Blocks * warps
	r.Threads = r.Blocks * d.Threads
	r.Occupancy = float64(r.Warps) / float64(a.WarpsPerSM)
	r.WastedShared = r.Carveout - r.Blocks*r.BlockShared
	r.Configured = r.Carveout
	if g.Carveout == 0 {
		r.Configured = nextCarveout(a, r.Blocks*r.BlockShared)
	}
	return r, nil
}

// threadLimit returns the blocks that the warp slots hold.
func threadLimit(a *gpu.Arch, threads, warps int) int {
	if threads > a.ThreadsPerBlock {
		return 0
	}
	return a.WarpsPerSM / warps
}

// barrierLimit returns the blocks that the barriers of the SM suffice for. From
// compute capability 9.0 on an SM has two for each block slot and a block takes
// as many as its kernel uses; before, a block slot comes with all of its own.
func barrierLimit(a *gpu.Arch, barriers int) int {
	if barriers > hardware.BarriersPerBlock {
		return 0
	}
	if barriers == 0 || a.Major < 9 {
		return Unlimited
	}
	return 2 * a.BlocksPerSM / barriers
}

// maxBarriers returns the most barriers with which that many blocks run, at least 1.
func maxBarriers(a *gpu.Arch, blocks int) int {
	if a.Major < 9 {
		return hardware.BarriersPerBlock
	}
	return max(1, min(hardware.BarriersPerBlock, 2*a.BlocksPerSM/blocks))
}

// absurd is more threads or bytes than any block will ever have. Demands are
// counted up to it, so that sums don't overflow.
const absurd = 1 << 25

// warpsOf returns the warps that so many threads of a block make.
func warpsOf(threads int) int { return ceilDiv(min(threads, absurd), hardware.WarpSize) }

func ceilDiv(x, y int) int { return (x + y - 1) / y }

// roundUp returns the least multiple of unit that is not less than x; a unit of 0 or 1 leaves x as it is.
func roundUp(x, unit int) int {
	if unit <= 1 {
		return x
	}
	return ceilDiv(x, unit) * unit
}

// roundDown returns the greatest multiple of unit that is at most x.
func roundDown(x, unit int) int {
	if unit <= 1 {
		return x
	}
	return x / unit * unit
}

// Limit is one resource of an SM.
type Limit uint8

// The resources, in the order in which they are reported.
const (
	Shared Limit = iota
	Registers
	Threads  // thread or warp slots
	Blocks   // thread block slots
	Barriers // barriers of thread blocks, from compute capability 9.0 on
	numLimits
)

var limitNames = [numLimits]string{"shared memory", "registers", "threads", "thread blocks", "barriers"}

func (l Limit) String() string { return limitNames[l] }

// MarshalText gives the name that String gives.
func (l Limit) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// Limits is a set of resources, each the bit of its Limit.
type Limits uint8

// Has reports whether l is in the set.
func (s Limits) Has(l Limit) bool { return s&(1<<l) != 0 }

// Only reports whether l is the single resource of the set.
func (s Limits) Only(l Limit) bool { return s == 1<<l }

// List returns the set's resources in the order in which they are reported.
func (s Limits) List() []Limit {
	var list []Limit
	for l := range numLimits {
		if s.Has(l) {
			list = append(list, l)
		}
	}
	return list
}

// String lists the set in words: "shared memory, registers and threads". An empty set is "nothing".
func (s Limits) String() string {
	if s == 0 {
		return "nothing"
	}
	names := lists.Map(s.List(), Limit.String)
	return diag.AndList(names)
}

// MarshalJSON writes the set as a list of names.
func (s Limits) MarshalJSON() ([]byte, error) {
	names := []string{}
	for _, l := range s.List() {
		names = append(names, l.String())
	}
	return json.Marshal(names)
}

// ByLimit holds a number of thread blocks for each resource, by Limit.
type ByLimit [numLimits]int

// MarshalJSON writes an object with the resources that put a limit, by name.
func (b ByLimit) MarshalJSON() ([]byte, error) {
	limits := map[string]int{}
	for l := range numLimits {
		if b[l] != Unlimited {
			limits[l.String()] = b[l]
		}
	}
	return json.Marshal(limits)
}

// min returns the least number of blocks and the resources that allow just that many.
func (b *ByLimit) min() (int, Limits) {
	blocks, set := Unlimited, Limits(0)
	for l, n := range b {
		switch {
		case n < blocks:
			blocks, set = n, 1<<l
		case n == blocks:
			set |= 1 << l
		}
	}
	return blocks, set
}

// ImpossibleError reports that no thread block with the demand can run on the GPU.
type ImpossibleError struct {
	GPU string // its name, with the carve-out where one is set
	// Limits are all the resources that don't suffice; Limit is one of them:
	// threads, which others depend on, or else the first.
	Limits Limits
	Limit  Limit
	// Asked and Allowed count the resource per thread block, or per thread
	// where PerThread is set: bytes, registers, threads, barriers.
	Asked, Allowed int
	PerThread      bool
}

func (e *ImpossibleError) Error() string {
	holder := "thread block"
	if e.PerThread {
		holder = "thread"
	}
	return fmt.Sprintf("%d %s; a %s on %s gets at most %d", e.Asked, units[e.Limit], holder, e.GPU, e.Allowed)
}

var units = [numLimits]string{
	Shared:    "bytes of shared memory",
	Registers: "registers",
	Threads:   "threads",
	Blocks:    "thread blocks",
	Barriers:  "barriers",
}

// impossible is the error of a demand for which the resources in limits allow no block.
func impossible(g *gpu.GPU, d Demand, limits Limits) error {
	a := &g.Arch
	e := &ImpossibleError{GPU: g.String(), Limit: limits.List()[0], Limits: limits}
	if limits.Has(Threads) {
		e.Limit = Threads
	}
	switch e.Limit {
	case Shared:
		e.Asked, e.Allowed = d.Shared, MaxShared(g, 1)
	case Registers:
		e.Asked, e.Allowed = d.Registers, a.RegistersPerThread
		e.PerThread = d.Registers > a.RegistersPerThread
		if !e.PerThread {
			e.Asked, e.Allowed = blockRegisters(a, d.Registers, warpsOf(d.Threads)), a.RegistersPerBlock
		}
	case Threads:
		e.Asked, e.Allowed = d.Threads, a.ThreadsPerBlock
	case Barriers:
		e.Asked, e.Allowed = d.Barriers, hardware.BarriersPerBlock
	}
	return e
}

// errInvalid is the error about a demand that makes no sense on any GPU.
var errInvalid = errors.New("there must be at least")

func invalid(d Demand) error {
	of := func(n int, what string, least int) error {
		return fmt.Errorf("%d %s; %w %d", n, what, errInvalid, least)
	}
	switch {
	case d.Threads <= 0:
		return of(d.Threads, "threads in a thread block", 1)
	case d.Registers < 0:
		return of(d.Registers, "registers per thread", 0)
	case d.Shared < 0:
		return of(d.Shared, "bytes of shared memory", 0)
	}
	return of(d.Barriers, "barriers", 0)
}

func isInvalid(err error) bool { return errors.Is(err, errInvalid) }
