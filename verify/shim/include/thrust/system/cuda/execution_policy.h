// thrust::cuda::par: the CUDA back end's policy, as another name of the sequential one. Its streams are
// accepted, and all work is done when an algorithm returns.
#pragma once
#include <thrust/detail/config.h>
#include <thrust/system/cpp/execution_policy.h>

#include "smux_cpu/types.h"

THRUST_NAMESPACE_BEGIN
namespace system {
namespace cuda {

struct par_t : thrust::system::cpp::detail::par_t {
    constexpr par_t() {}
    par_t on(cudaStream_t) const { return *this; }
};
static constexpr par_t par;
static constexpr par_t par_nosync;

}  // namespace cuda
}  // namespace system
namespace cuda {
using thrust::system::cuda::par;
using thrust::system::cuda::par_nosync;
}  // namespace cuda
THRUST_NAMESPACE_END
