package profile

import "strings"

// Costs are the warp instructions that nvcc 11.8 emits for sm_80, counted in
// the SASS of kernels that hold one operation each, up to the exit, the loads
// and stores taken off. Of routines with a slow path (range reduction of large
// angles, denormals, overflow) the path that data takes as a rule is counted.
// They are the same for all GPUs: what differs between architectures is small
// against what a static count can't see.
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
	costPrologue    = 5 // what the smallest kernels have besides their work: stack pointer, descriptor of memory, element size, exits
)

// What the compiler does with loops and loads.
const (
	unrollByNvcc    = 4   // turns laid out in a row where the trip count is not known: nvcc's default
	leftOver        = 1.5 // three turns that are left over wait twice for their loads, the last two together; seen in SP's code
	loopSetUp       = 10  // per entry of such a loop: trip count, how many turns are left over, the branches on that; seen in SP's code
	unrollFully     = 420 // expression nodes in all turns up to which a constant loop is flattened: a guess
	predicatedNodes = 16  // expression nodes up to which a branch becomes predicates: a guess
	maxBatch        = 16  // loads in flight before the first use: a guess between 4 and the 32 seen in MV
)

// What stands for what is not known.
const (
	assumedTrips   = 16
	assumedThreads = 256
	assumedSize    = 4096 // of whatever only strides depend on: far more than a sector
	gatherSectors  = 16   // a warp's access at addresses that come from data: half of the worst
	randomBanks    = 3.5  // the expected fullest of 32 banks hit by 32 lanes at random
)

// single are CUDA's functions in single precision and for integers. Those
// without the f in double arguments are in double.
var single = costs(`
	1 abs labs llabs fabs fabsf fmin fmax fminf fmaxf floor floorf ceil ceilf trunc truncf rint rintf nearbyintf fma fmaf saturate __saturatef copysignf signbit isnan isinf isfinite
	1 __fadd_rn __fadd_rz __fmul_rn __fmul_rz __fmaf_rn __fsub_rn __dadd_rn __dmul_rn __fma_rn __dsub_rn __mulhi __umulhi __popc __brev __sad __usad __byte_perm __funnelshift_l __funnelshift_r __funnelshift_lc __funnelshift_rc __dp4a
	1 __int2float_rn __int2float_rz __uint2float_rn __float2int_rn __float2int_rz __float2int_rd __float2uint_rn __float2uint_rz __double2int_rn __double2float_rn __int2double_rn __float2half __half2float __float2half_rn
	0 __int_as_float __float_as_int __uint_as_float __float_as_uint __double_as_longlong __longlong_as_double __hiloint2double __double2hiint __double2loint __builtin_assume __builtin_expect __syncwarp __threadfence_block
	1 __hadd __hsub __hmul __hfma __hadd2 __hsub2 __hmul2 __hfma2 __hneg __hmax __hmin __low2float __high2float __floats2half2_rn __half2half2
	1 __shfl __shfl_up __shfl_down __shfl_xor __shfl_sync __shfl_up_sync __shfl_down_sync __shfl_xor_sync __activemask __match_any_sync __reduce_add_sync __reduce_min_sync __reduce_max_sync
	2 __ballot __ballot_sync __any __all __clz __popcll __sinf __cosf __threadfence __threadfence_system clock clock64
	3 __ffs __clzll __sincosf __any_sync __all_sync
	4 round roundf lroundf rsqrt rsqrtf __tanf exp2 exp2f __frsqrt_rn
	5 __expf __exp10f __logf __log2f __log10f __fdividef __ffsll
	9 __powf expf exp exp10f sqrt sqrtf __fsqrt_rn __frcp_rn __fdiv_rn
	15 cbrt cbrtf rcbrtf normcdff
	22 tanh tanhf sinh cosh sinhf coshf expm1f
	28 log logf log2 log2f log10 log10f log1pf erf erff hypot hypotf acos acosf asin asinf
	30 sin sinf cos cosf sinpif cospif fmod fmodf
	18 curand curand_uniform
	40 sincos sincosf tan tanf atan atanf erfc erfcf
	60 pow powf atan2 atan2f lgammaf tgammaf
	80 curand_normal
	300 curand_init
	4 fill_fragment
`)

// double are functions of double arguments.
var double = costs(`
	2 fmin fmax floor ceil trunc rint round fabs fma
	14 sqrt rsqrt __dsqrt_rn
	18 __ddiv_rn __drcp_rn
	38 exp exp2 exp10 expm1 sinh cosh tanh
	50 sin cos atan erf erfc cbrt
	60 log log2 log10 log1p acos asin hypot
	75 sincos tan atan2 lgamma tgamma
	85 pow normcdf
`)

// costs reads a table: lines of a cost and the functions that have it.
func costs(text string) map[string]float64 {
	m := map[string]float64{}
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		cost := 0.0
		for _, digit := range words[0] {
			cost = 10*cost + float64(digit-'0')
		}
		for _, name := range words[1:] {
			m[name] = cost
		}
	}
	return m
}

// callCost is what a call of a function of CUDA costs, with its result's type;
// t is the type of the arguments.
func callCost(name string, t ctype) (float64, ctype, bool) {
	if t.class == classDouble {
		if c, ok := double[name]; ok {
			return c, t, true
		}
	}
	c, ok := single[name]
	if !ok {
		return costUnknownCall, t, false
	}
	switch {
	case strings.HasSuffix(name, "2int_rn") || strings.HasSuffix(name, "as_int") || strings.HasSuffix(name, "2int_rz") || strings.HasPrefix(name, "__popc") || strings.HasPrefix(name, "__clz") || strings.HasPrefix(name, "__ffs") || strings.HasPrefix(name, "__ballot"):
		t = intType
	case strings.HasSuffix(name, "f") || strings.HasSuffix(name, "_float") || strings.HasSuffix(name, "2float_rn"):
		t = floatType
	case t.class == classInt && c > 2 && !strings.HasPrefix(name, "__"):
		t = doubleType // sqrt(int) and the like
	}
	return c, t, true
}

// opCost is what an operation on scalars of a type costs; b is its second
// operand.
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
