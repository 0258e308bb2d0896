// How Thrust's sequential back end copies elements that are plain bytes. Copies from a device_vector to the
// host go through here, and are logged as those of cudaMemcpy are.
#pragma once
#include <cstddef>
#include <cstring>

#include <thrust/detail/config.h>
#include <thrust/system/detail/sequential/general_copy.h>

#include "smux_cpu/element.h"
#include "smux_cpu/host_abi.h"

THRUST_NAMESPACE_BEGIN
namespace system {
namespace detail {
namespace sequential {

template <class T> SMUX_CPU_INLINE T *trivial_copy_n(const T *first, std::ptrdiff_t count, T *result) {
    if (count <= 0) return result;
    const size_t bytes = size_t(count) * sizeof(T);
    std::memmove((void *)result, (const void *)first, bytes);
    if (!smux_cpu_in_kernel && smux_cpu_shows_device_memory(result, first) && smux_cpu::element_of<T>::value != smux_cpu::unlogged)
        smux_cpu_log_copy(1, result, bytes, smux_cpu::element_of<T>::value);
    return result + count;
}

}  // namespace sequential
}  // namespace detail
}  // namespace system
THRUST_NAMESPACE_END
