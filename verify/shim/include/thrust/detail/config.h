// Thrust's configuration, the first thing that each of its headers includes: it must take this compiler for a
// plain C++ compiler, and the device for Thrust's own sequential C++ back end.
#pragma once

#ifndef THRUST_DEVICE_SYSTEM
#define THRUST_DEVICE_SYSTEM THRUST_DEVICE_SYSTEM_CPP
#endif

#pragma push_macro("__CUDACC__")
#pragma push_macro("__NVCC__")
#pragma push_macro("__CUDA_ARCH__")
#undef __CUDACC__
#undef __NVCC__
#undef __CUDA_ARCH__
#include_next <thrust/detail/config.h>
#pragma pop_macro("__CUDA_ARCH__")
#pragma pop_macro("__NVCC__")
#pragma pop_macro("__CUDACC__")

#include "smux_cpu/host_abi.h"

namespace smux_cpu {
// That back end is host code.
inline const bool thrust_is_used = smux_cpu_allow_host_access();
}  // namespace smux_cpu
