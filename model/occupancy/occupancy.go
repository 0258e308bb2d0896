// Package occupancy computes how many thread blocks of a kernel an SM runs at
// once, what limits them, and what would have to change for one more.
//
// From compute capability 3.5 to 9.0 the results equal those of NVIDIA's
// cuda_occupancy.h; before that they follow the occupancy calculator sheets,
// after that the CUDA C++ Programming Guide's table of technical
// specifications. Partitioned global caching (an option of compute capability
// 5.2 and 6.1) is taken to be off, and a kernel that needs more shared memory
// than a block gets by default to opt in. Two things differ from the header on
// purpose: 256 registers per thread are too many on every GPU (the header lets
// 7.0 and later have them), and when barriers allow the fewest blocks they alone
// are reported as the limiter (the header leaves the flags of what would have
// limited without them).
package occupancy

import "math"

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

// Unlimited stands in Result.ByLimit where a resource puts no limit on the
// thread blocks.
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
	// Configured is the carve-out that the SM needs for Blocks: where the
	// board isn't set to one, the smallest that holds them, which the driver
	// takes to leave the rest to the L1 cache; else Carveout.
	Configured   int `json:"configured"`
	BlockShared  int `json:"blockShared"`  // shared bytes that a block takes, rounding and reserve included
	WastedShared int `json:"wastedShared"` // shared bytes of Carveout that no block uses
}
