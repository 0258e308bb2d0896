package analysis

import "strings"

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// pureCalls are functions whose result depends on their arguments alone and
// that touch no memory.
var pureCalls = set(`
	min max umin umax abs labs llabs fabs fabsf fmin fmax fminf fmaxf
	sqrt sqrtf rsqrt rsqrtf cbrt cbrtf rcbrt rcbrtf hypot hypotf rhypot rhypotf norm3df norm4df rnorm3df rnorm4df
	sin sinf cos cosf tan tanf asin asinf acos acosf atan atanf atan2 atan2f sinh sinhf cosh coshf tanh tanhf
	asinh asinhf acosh acoshf atanh atanhf sinpi sinpif cospi cospif
	exp expf exp2 exp2f exp10 exp10f expm1 expm1f log logf log2 log2f log10 log10f log1p log1pf logb logbf
	pow powf erf erff erfc erfcf erfinv erfinvf erfcinv erfcinvf erfcx erfcxf normcdf normcdff normcdfinv normcdfinvf
	tgamma tgammaf lgamma lgammaf j0 j0f j1 j1f y0 y0f y1 y1f
	floor floorf ceil ceilf trunc truncf round roundf rint rintf nearbyint nearbyintf lrint lrintf llrint llrintf lround lroundf
	fmod fmodf remainder remainderf fdim fdimf fma fmaf ldexp ldexpf scalbn scalbnf ilogb ilogbf copysign copysignf nextafter nextafterf
	isnan isinf isfinite signbit saturate
	__sinf __cosf __tanf __expf __exp10f __logf __log2f __log10f __powf __fdividef __fdiv_rn __frcp_rn __fsqrt_rn __frsqrt_rn __saturatef
	__fadd_rn __fadd_rz __fmul_rn __fmul_rz __fmaf_rn __fmaf_rz __fsub_rn __dadd_rn __dmul_rn __fma_rn __ddiv_rn __dsqrt_rn __drcp_rn __dsub_rn
	__int2float_rn __int2float_rz __uint2float_rn __uint2float_rz __float2int_rn __float2int_rz __float2int_rd __float2int_ru __float2uint_rn __float2uint_rz __float2uint_rd __float2uint_ru
	__double2int_rn __double2int_rz __double2float_rn __int2double_rn __uint2double_rn __ll2double_rn __float2ll_rn __float2half __half2float __float2half_rn __float22half2_rn __half22float2 __float2bfloat16 __bfloat162float
	__int_as_float __float_as_int __uint_as_float __float_as_uint __double_as_longlong __longlong_as_double __hiloint2double __double2hiint __double2loint
	__mul24 __umul24 __mulhi __umulhi __mul64hi __umul64hi __popc __popcll __clz __clzll __ffs __ffsll __brev __brevll __byte_perm __funnelshift_l __funnelshift_r __funnelshift_lc __funnelshift_rc __sad __usad __dp4a __dp2a_lo __dp2a_hi __vadd4 __vsub4 __vabsdiff4 __vabsdiffu4 __vsadu4 __vminu4 __vmaxu4
	__hadd __hsub __hmul __hdiv __hfma __hadd2 __hsub2 __hmul2 __hfma2 __h2div __hneg __hneg2 __hlt __hgt __heq __hle __hge __hmax __hmin __low2float __high2float __low2half __high2half __floats2half2_rn __halves2half2 __half2half2 __float2half2_rn hexp hlog hsqrt h2exp
	make_char2 make_char3 make_char4 make_uchar2 make_uchar3 make_uchar4 make_short2 make_short3 make_short4 make_ushort2 make_ushort3 make_ushort4
	make_int1 make_int2 make_int3 make_int4 make_uint1 make_uint2 make_uint3 make_uint4 make_float1 make_float2 make_float3 make_float4 make_double1 make_double2 make_double3 make_double4 make_long2 make_ulong2 make_longlong2 make_ulonglong2
	make_half2 make_cuComplex make_cuFloatComplex make_cuDoubleComplex cuCmul cuCadd cuCsub cuCdiv cuCmulf cuCaddf cuCsubf cuCdivf cuCreal cuCimag cuCrealf cuCimagf cuCabs cuCabsf cuConj cuConjf
	int unsigned float double bool char short long size_t dim3 uint3 half __half float4 float2
`)

// effectCalls are known functions that may touch the memory they are given,
// but keep no address, use no built-in variable of the block and hold no
// thread-block barrier.
var effectCalls = set(`
	printf assert __trap __brkpt clock clock64 __nanosleep __prof_trigger memcpy memset __builtin_assume __builtin_expect __builtin_unreachable __builtin_assume_aligned __assume sincos sincosf __sincosf sincospi sincospif modf modff frexp frexpf remquo remquof
	__ldg __ldca __ldcg __ldcs __ldlu __ldcv __stwb __stcg __stcs __stwt __threadfence __threadfence_block __threadfence_system
	atomicAdd atomicSub atomicExch atomicMin atomicMax atomicInc atomicDec atomicCAS atomicAnd atomicOr atomicXor
	atomicAdd_block atomicSub_block atomicExch_block atomicMin_block atomicMax_block atomicInc_block atomicDec_block atomicCAS_block atomicAnd_block atomicOr_block atomicXor_block
	atomicAdd_system atomicSub_system atomicExch_system atomicMin_system atomicMax_system atomicCAS_system atomicAnd_system atomicOr_system atomicXor_system
	curand_init curand curand_uniform curand_uniform2 curand_uniform4 curand_uniform_double curand_normal curand_normal2 curand_normal4 curand_normal_double curand_log_normal curand_poisson curand4 skipahead
	tex1D tex2D tex3D tex1Dfetch tex1DLod tex2DLod tex3DLod tex2DLayered tex1DLayered texCubemap tex2Dgather tex2DGrad surf1Dread surf1Dwrite surf2Dread surf2Dwrite surf3Dread surf3Dwrite surf2DLayeredread surf2DLayeredwrite
	__cvta_generic_to_shared __cvta_generic_to_global __isShared __isGlobal load_matrix_sync store_matrix_sync mma_sync fill_fragment
`)

// warpCalls work on the lanes of one warp: unchanged by a rewrite as long as
// no warp spans two virtual thread blocks.
var warpCalls = set(`
	__syncwarp __shfl __shfl_up __shfl_down __shfl_xor __shfl_sync __shfl_up_sync __shfl_down_sync __shfl_xor_sync
	__ballot __ballot_sync __any __any_sync __all __all_sync __activemask __match_any_sync __match_all_sync
	__reduce_add_sync __reduce_min_sync __reduce_max_sync __reduce_and_sync __reduce_or_sync __reduce_xor_sync
	load_matrix_sync store_matrix_sync mma_sync fill_fragment
`)

// blockBarriers are the barriers of the whole thread block.
var blockBarriers = set(`__syncthreads __syncthreads_count __syncthreads_and __syncthreads_or __barrier_sync`)

// blockVotes are those that combine a predicate of the threads.
var blockVotes = set(`__syncthreads_count __syncthreads_and __syncthreads_or`)

// asyncCalls start copies or transactions that end later.
var asyncCalls = set(`memcpy_async __pipeline_memcpy_async __pipeline_commit __pipeline_wait_prior cp_async_bulk_tensor wait wait_prior arrive barrier_arrive_tx`)

var knownConstants = set(`
	FLT_MAX FLT_MIN FLT_EPSILON DBL_MAX DBL_MIN DBL_EPSILON INT_MAX INT_MIN UINT_MAX LONG_MAX LLONG_MAX ULLONG_MAX CHAR_BIT SHRT_MAX UCHAR_MAX
	M_PI M_PI_2 M_E M_SQRT2 CUDART_PI_F CUDART_INF_F CUDART_NAN_F CUDART_INF CUDART_NAN CUDART_PI CUDART_SQRT_2PI CUDART_MAX_NORMAL_F HUGE_VAL HUGE_VALF INFINITY NAN NULL true false this
	CURAND_2POW32_INV __FILE__ __LINE__ __func__ __CUDA_ARCH__ cudaBoundaryModeTrap cudaBoundaryModeClamp cudaBoundaryModeZero
`)
