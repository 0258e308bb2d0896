// The memory of device_vector and universal_vector: device and managed memory of this shim. (Thrust's own C++
// back end would take memory of the host.)
#pragma once
#include <new>

#include <thrust/detail/config.h>
#include <thrust/mr/fancy_pointer_resource.h>
#include <thrust/mr/memory_resource.h>
#include <thrust/system/cpp/pointer.h>

#include "smux_cpu/abi.h"

THRUST_NAMESPACE_BEGIN
namespace system {
namespace cpp {
namespace detail {

// kind as smux_cpu_allocate has it. Its alignment is enough for every type.
template <int Kind> class shim_resource final : public thrust::mr::memory_resource<> {
public:
    void *do_allocate(std::size_t bytes, std::size_t) override {
        if (void *p = smux_cpu_allocate(bytes, Kind)) return p;
        throw std::bad_alloc();
    }
    void do_deallocate(void *p, std::size_t, std::size_t) override { smux_cpu_free(p); }
};

typedef thrust::mr::fancy_pointer_resource<shim_resource<0>, thrust::cpp::pointer<void>> native_resource;
typedef thrust::mr::fancy_pointer_resource<shim_resource<1>, thrust::cpp::universal_pointer<void>> universal_native_resource;
typedef thrust::mr::fancy_pointer_resource<shim_resource<2>, thrust::cpp::pointer<void>> pinned_resource;

}  // namespace detail

typedef detail::native_resource memory_resource;
typedef detail::universal_native_resource universal_memory_resource;
typedef detail::pinned_resource universal_host_pinned_memory_resource;

}  // namespace cpp
}  // namespace system
THRUST_NAMESPACE_END
