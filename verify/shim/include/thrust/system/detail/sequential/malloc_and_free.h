// Where Thrust's sequential back end, here also its device back end, gets memory: device memory, so that what a
// device_vector holds can be copied, checked and passed to kernels as what cudaMalloc gives.
#pragma once
#include <cstdlib>

#include <thrust/detail/config.h>
#include <thrust/detail/raw_pointer_cast.h>
#include <thrust/system/detail/sequential/execution_policy.h>

#include "smux_cpu/abi.h"

THRUST_NAMESPACE_BEGIN
namespace system {
namespace detail {
namespace sequential {

// An algorithm that a kernel runs takes its scratch memory as `malloc` in kernels does.
template <class Policy> void *malloc(execution_policy<Policy> &, std::size_t bytes) {
    return smux_cpu_in_kernel ? std::malloc(bytes) : smux_cpu_allocate(bytes, 0);
}

template <class Policy, class Pointer> void free(execution_policy<Policy> &, Pointer pointer) {
    void *p = thrust::raw_pointer_cast(pointer);
    if (p && !smux_cpu_free(p)) std::free(p);
}

}  // namespace sequential
}  // namespace detail
}  // namespace system
THRUST_NAMESPACE_END
