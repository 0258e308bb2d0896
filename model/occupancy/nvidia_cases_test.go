package occupancy

import (
	"fmt"
	"io"
	"math/rand/v2"

	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/hardware"
)

// nvidiaCase is one question to cuda_occupancy.h, and the same for Compute.
type nvidiaCase struct {
	gpu    *gpu.GPU // its carve-out and opt-in limit are those of the question
	demand Demand

	static, dynamic int  // the demand's shared bytes
	maxDynamic      int  // the dynamic bytes that the kernel is allowed
	optin           bool // whether the kernel opts in at all
	cache           int  // the older preference: none, shared memory, L1, equal
	percent         int  // the carve-out asked for, in percent, -1 for none
}

// write prints the question as testdata/occupancy.cpp reads it.
func (c nvidiaCase) write(w io.Writer) {
	a := &c.gpu.Arch
	optin := 0
	if c.optin {
		optin = 1
	}
	fmt.Fprintln(w, a.Major, a.Minor, a.ThreadsPerBlock, a.ThreadsPerSM, a.RegistersPerBlock, a.RegistersPerSM,
		a.SharedPerBlock, largestCarveout(a), a.SharedPerBlockOptin, a.SharedReserved,
		c.demand.Threads, c.demand.Registers, c.static, c.dynamic, c.maxDynamic, optin, c.demand.Barriers, c.cache, c.percent)
}

func (c nvidiaCase) String() string {
	return fmt.Sprintf("%s (cc %d.%d, carve-out %d) %+v, static %d + dynamic %d of %d, opt-in %t, cache preference %d, carve-out %d %%",
		c.gpu.Name, c.gpu.Arch.Major, c.gpu.Arch.Minor, c.gpu.Carveout, c.demand, c.static, c.dynamic, c.maxDynamic, c.optin, c.cache, c.percent)
}

// randomCase is a random demand on a board. Values at which the blocks may
// change, and their neighbours, are more frequent than others.
func randomCase(random *rand.Rand, board *gpu.GPU) nvidiaCase {
	g := *board
	c := nvidiaCase{gpu: &g, percent: -1}
	if random.IntN(4) == 0 {
		c.demand = smallDemand(random, &g.Arch)
	} else {
		c.demand.Threads = randomThreads(random, &g.Arch)
		c.demand.Registers = randomRegisters(random, &g.Arch, c.demand.Threads)
		c.demand.Shared = randomShared(random, &g.Arch)
	}
	c.splitShared(random)
	c.setCarveout(random)
	return c
}

// smallDemand is one of which about as many blocks run as there are slots:
// each resource is asked for in that measure or hardly at all.
func smallDemand(random *rand.Rand, a *gpu.Arch) Demand {
	slots := a.BlocksPerSM - random.IntN(3)
	d := Demand{
		Threads:   near(random, hardware.WarpSize, 1) + random.IntN(2)*hardware.WarpSize,
		Registers: random.IntN(17),
		Shared:    random.IntN(a.SharedGranularity),
	}
	if random.IntN(2) == 0 {
		d.Registers = near(random, min(a.RegistersPerSM/(d.Threads*slots), a.RegistersPerThread-1), 1)
	}
	if random.IntN(2) == 0 {
		d.Shared = near(random, largestCarveout(a)/slots-a.SharedReserved, a.SharedGranularity+1)
	}
	return d
}

func randomThreads(random *rand.Rand, a *gpu.Arch) int {
	switch random.IntN(10) {
	case 0:
		return 1 + random.IntN(a.ThreadsPerBlock+200)
	case 1, 2, 3:
		return near(random, hardware.WarpSize*(1+random.IntN(a.ThreadsPerBlock/hardware.WarpSize)), 1)
	default:
		return 32 << random.IntN(6)
	}
}

// randomRegisters leaves out 256: the header lets a thread of compute
// capability 7.0 and later have them, but no instruction can name the last one
// and the programming guide's limit is 255.
func randomRegisters(random *rand.Rand, a *gpu.Arch, threads int) int {
	n := 0
	switch random.IntN(10) {
	case 0:
		return 0
	case 1:
		n = random.IntN(a.RegistersPerThread + 10)
	case 2, 3, 4, 5:
		n = near(random, 8*random.IntN(33), 1)
	default: // as many as a number of blocks leaves
		n = near(random, a.RegistersPerSM/(threads*(1+random.IntN(8))), 9)
	}
	if n == 256 || n > a.RegistersPerThread+20 {
		return a.RegistersPerThread
	}
	return n
}

func randomShared(random *rand.Rand, a *gpu.Arch) int {
	switch random.IntN(10) {
	case 0:
		return 0
	case 1:
		return random.IntN(a.SharedPerBlockOptin + 2000)
	case 2:
		return near(random, a.SharedPerBlock, 1)
	case 3:
		return near(random, a.SharedPerBlockOptin, 1)
	case 4, 5, 6:
		return near(random, a.SharedGranularity*random.IntN(a.SharedPerBlockOptin/a.SharedGranularity), 1)
	default: // as many as a number of blocks leaves, in one of the carve-outs
		bytes := a.Carveouts[random.IntN(len(a.Carveouts))]/(1+random.IntN(a.BlocksPerSM)) - a.SharedReserved
		return near(random, bytes, a.SharedGranularity+1)
	}
}

// near is n or a number not more than by away, never negative.
func near(random *rand.Rand, n, by int) int {
	return max(0, n+random.IntN(2*by+1)-by)
}

// splitShared divides the shared bytes into static and dynamic ones, and opts
// in, or leaves the GPU without the larger limit.
func (c *nvidiaCase) splitShared(random *rand.Rand) {
	a := &c.gpu.Arch
	c.static = random.IntN(min(c.demand.Shared, a.SharedPerBlock) + 1)
	switch random.IntN(3) {
	case 0:
		c.static = 0
	case 1:
		c.static = min(c.demand.Shared, a.SharedPerBlock)
	}
	c.dynamic = c.demand.Shared - c.static
	c.optin = random.IntN(4) != 0
	switch {
	case !c.optin:
		a.SharedPerBlockOptin = a.SharedPerBlock
	case random.IntN(2) == 0:
		c.maxDynamic = c.dynamic
	default:
		c.maxDynamic = max(c.dynamic, a.SharedPerBlockOptin-c.static)
	}
}

// setCarveout asks for a carve-out in one of the ways that the GPU has, or for none.
func (c *nvidiaCase) setCarveout(random *rand.Rand) {
	a := &c.gpu.Arch
	largest := largestCarveout(a)
	switch way := random.IntN(6); {
	case way <= 1: // none
	case a.Major < 7 || way == 2:
		c.cache = random.IntN(4)
		c.gpu.Carveout = carveoutOfCache(a, c.cache)
	case way == 3: // one that there is
		size := a.Carveouts[random.IntN(len(a.Carveouts))]
		c.percent = size * 100 / largest
		c.gpu.Carveout = max(size, 1)
	default:
		c.percent = []int{0, 50, 100, random.IntN(101)}[random.IntN(4)]
		c.gpu.Carveout = max(c.percent*largest/100, 1)
	}
}

// carveoutOfCache is the carve-out, in bytes, that stands for a preference of
// the older interface; 1 byte stands for none, which no block has.
func carveoutOfCache(a *gpu.Arch, cache int) int {
	const preferShared, preferL1, preferEqual = 1, 2, 3
	largest := largestCarveout(a)
	switch {
	case cache == preferShared:
		return largest
	case cache == preferL1:
		return max(a.Carveouts[0], 1)
	case cache == preferEqual && a.Major == 3:
		return a.Carveouts[1]
	case cache == preferEqual:
		return largest / 2
	default:
		return 0
	}
}
