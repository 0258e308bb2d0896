// The qualifiers of CUDA C++ as macros. What they say is for the device's compiler; here a kernel is a
// function, and a shared variable that the translation could not reach (inside a macro) a static one,
// which is the same for all threads of a block, but neither poisoned nor checked: thread_local keeps it
// out of what counts as device variables, where blocks would seem to race for it.
#pragma once

#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __shared__ static thread_local
#define __grid_constant__
#define __tile_static__ static
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __cluster_dims__(...)
#define __block_size__(...)
#define __nv_pure__
// A hint, as to nvcc: functions of it call themselves and are called by pointers.
#define __forceinline__ inline
// Empty, because programs also write __attribute__((__noinline__)), and so does libstdc++.
#define __noinline__
#define __inline_hint__
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define CUDART_CB
#define CUDARTAPI
#define CUDAAPI
