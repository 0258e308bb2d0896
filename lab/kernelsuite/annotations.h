// The annotations of GPUVerify's kernels, as far as a run can make something of them.
#pragma once
#include <cooperative_groups.h>
#include <curand_kernel.h>

__device__ inline void smux_suite_require(bool holds)
{
    if (!holds) asm volatile("exit;");
}
__device__ inline void smux_suite_assert(bool holds)
{
    if (!holds) __trap();
}

#define __requires(condition) smux_suite_require(condition)
#define __assume(condition) smux_suite_require(condition)
#define __assert(condition) smux_suite_assert(condition)
#define __invariant(condition) smux_suite_assert(condition)
#define __global_invariant(condition) smux_suite_assert(condition)
#define __ensures(condition)
#define __axiom(condition) extern int smux_suite_axiom
#define __requires_fresh_array(array)
#define __implies(a, b) (!(a) || (b))
#define __enabled() true
// Of what other threads do, and of what was accessed so far, a run knows nothing: these hold.
#define __uniform_int(value) true
#define __uniform_bool(value) true
#define __distinct_int(value) true
#define __distinct_bool(value) true
#define __other_int(value) ((value) + 1)
#define __no_read(array) true
#define __no_write(array) true
#define __read(array) false
#define __write(array) false
#define __read_implies(array, condition) true
#define __write_implies(array, condition) true
#define __read_offset_bytes(array) 0u
#define __write_offset_bytes(array) 0u
#define __ptr_offset_bytes(pointer) 0u
#define __mod_pow2(a, b) ((a) % (b))
