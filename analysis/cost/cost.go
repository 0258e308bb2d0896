package cost

import "github.com/smux-cuda/smux/analysis/intrinsic"

// Costs are the warp instructions that nvcc 11.8 emits for sm_80, counted in the SASS of kernels that hold one
// operation each, up to the exit, the loads and stores taken off. Of routines with a slow path (range reduction of
// large angles, denormals, overflow) the path that data takes as a rule is counted. They are the same for all GPUs:
// what differs between architectures is small against what a static count can't see.
const (
	costDivInt      = 20 // 17 to 24: division and remainder, signed and unsigned
	costDivConst    = 4  // by a constant: multiply high, shift, correct
	costDivPower    = 2  // by a power of two, signed: 3 to 4; unsigned: 1
	costDivLong     = 29
	costMulLong     = 4
	costLong        = 2 // other operations on 64-bit integers
	costDivFloat    = 13
	costDivDouble   = 18
	costConvert     = 1 // between integers and floats, or widths of floats
	costBranch      = 1
	costBarrier     = 1
	costAtomic      = 1
	costTexture     = 1
	costUnknownCall = 8 // a function that is neither in view nor in the table: no source, a guess
	costLocal       = 2 // a load or store of an array that is indexed at run time, with its address
	constantCycles  = 2 // of the constant cache for each address of a read: measured on an H100
	costPrologue    = 5 // what the smallest kernels have besides their work: stack pointer, descriptor of memory, element size, exits
)

// What the compiler does with loops and loads.
const (
	unrollByNvcc    = 4   // turns laid out in a row where the trip count is not known: nvcc's default
	unrollByPtxas   = 4   // turns of such a loop that ptxas lays out in a row again: seen in CV's code
	mostLaidOut     = 256 // turns of a flattened loop that are looked at for registers
	compiledTurns   = 2   // of one that is not
	leftOver        = 1.5 // three turns that are left over wait twice for their loads, the last two together; seen in SP's code
	loopSetUp       = 10  // per entry of such a loop: trip count, how many turns are left over, the branches on that; seen in SP's code
	unrollFully     = 420 // expression nodes in all turns up to which a constant loop is flattened: a guess
	predicatedNodes = 16  // expression nodes up to which a branch becomes predicates: a guess
	maxBatch        = 16  // loads in flight before the first use: a guess between 4 and the 32 seen in MV
)

// What stands for what is not known.
const (
	assumedTrips   = 16
	largeTrips     = 256 // where Options.Large asks for sizes as they are used
	largeGrid      = 64  // … and of thread blocks, along each dimension of the grid
	assumedThreads = 256
	assumedSize    = 4096 // of whatever only strides depend on: far more than a sector
	gatherSectors  = 16   // a warp's access at addresses that come from data: half of the worst
	randomBanks    = 3.5  // the expected fullest of 32 banks hit by 32 lanes at random
)

// callCost returns the cost of a call of a function of CUDA, and its result's type; t is the type of the arguments.
func callCost(name string, t ctype) (float64, ctype, bool) {
	r := intrinsic.Of(name)
	c := r.Cost.Single
	if t.class == classDouble && r.Cost.Double != intrinsic.NotMeasured {
		c = r.Cost.Double
	}
	if !r.Known() || c == intrinsic.NotMeasured {
		return costUnknownCall, t, false
	}
	return c, returned(r, t), true
}

// returned is the type of an intrinsic's result; t is that of its arguments.
func returned(r *intrinsic.Row, t ctype) ctype {
	switch r.Type {
	case intrinsic.Int:
		return intType
	case intrinsic.Long:
		return longType
	case intrinsic.Float:
		return floatType
	case intrinsic.Double:
		return doubleType
	case intrinsic.Half:
		return baseType("half")
	case intrinsic.Floating:
		if t.integer() {
			return doubleType
		}
	}
	return t
}

// opCost returns the cost of an operation on scalars of a type; b is its second operand.
func opCost(tok string, t ctype, b value) float64 {
	switch tok {
	case "/", "%":
		switch {
		case b.power && !t.integer():
			return 1 // multiplied with the inverse
		case t.class == classDouble:
			return costDivDouble
		case t.class == classFloat || t.class == classHalf:
			return costDivFloat
		case b.isConstant() && b.s > 0 && b.s&(b.s-1) == 0:
			return costDivPower
		case b.isConstant():
			return costDivConst
		case t.class == classLong:
			return costDivLong
		}
		return costDivInt
	case "*":
		if t.class == classLong {
			return costMulLong
		}
	case "min", "max":
		if t.class == classDouble {
			return 2
		}
	}
	if t.class == classLong {
		return costLong
	}
	return 1
}

// scratchOf returns the number of registers that an operation on scalars of a type takes on the way to
// its result: measured as intrinsic.Scratch is.
func scratchOf(tok string, t ctype, b value) int {
	switch {
	case tok != "/" && tok != "%" || b.isConstant() || b.literal:
		return 0
	case t.class == classDouble:
		return 10
	case t.class == classLong:
		return 12
	}
	return 4
}
