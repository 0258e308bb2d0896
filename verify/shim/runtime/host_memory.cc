// Allocation by the runtime API.
#include <map>

#include "check_streams.h"
#include "memory.h"
#include "smux_cpu/device_limits.h"
#include "smux_cpu/memory.h"

namespace {

enum kind { device_memory = 0, managed_memory = 1, pinned_memory = 2 };

// Host memory that the program registered: size and flags by address.
struct registration {
    size_t bytes;
    unsigned flags;
};
std::map<const char *, registration> registered;

const std::pair<const char *const, registration> *registration_of(const void *p) {
    auto after = registered.upper_bound(static_cast<const char *>(p));
    if (after == registered.begin()) return nullptr;
    const auto &entry = *--after;
    return static_cast<const char *>(p) < entry.first + entry.second.bytes ? &entry : nullptr;
}

cudaError_t allocate(void **p, size_t bytes, kind k) {
    if (!p) return smux_cpu_error(cudaErrorInvalidValue);
    *p = nullptr;
    if (bytes == 0) return cudaSuccess;
    *p = smux_cpu_allocate(bytes, k);
    return *p ? cudaSuccess : smux_cpu_error(cudaErrorMemoryAllocation);
}

// Only the begin of an allocation of the right kind can be freed.
cudaError_t release(void *p, bool pinned) {
    if (!p) return cudaSuccess;
    void *base;
    size_t bytes;
    int k;
    const bool known = smux_cpu_find_allocation(p, &base, &bytes, &k) && base == p && (k == pinned_memory) == pinned;
    if (known && smux_cpu_free(p)) return cudaSuccess;
    char *freed;
    const bool again = smux_cpu::freed_around(p, &freed) && freed == p;
    smux_cpu::record("out-of-bounds").here().text("text", again ? "it frees an allocation twice" : "it frees what is no such allocation").write();
    return smux_cpu_error(cudaErrorInvalidValue);
}

size_t pitch_of(size_t width) {
    return (width + smux_cpu::device::pitch_alignment - 1) / smux_cpu::device::pitch_alignment * smux_cpu::device::pitch_alignment;
}

void have_rows(void *p, size_t pitch, size_t width) {
    std::lock_guard<smux_cpu::own_mutex> mine(smux_cpu::allocations_lock());
    smux_cpu::allocation &a = smux_cpu::allocations()[static_cast<char *>(p)];
    a.pitch = pitch, a.width = width;
}

}  // namespace

extern "C" {

cudaError_t cudaMalloc(void **p, size_t bytes) { return allocate(p, bytes, device_memory); }
cudaError_t cudaMallocAsync(void **p, size_t bytes, cudaStream_t stream) {
    if (smux_cpu_captures(stream)) smux_cpu_not_supported("cudaMallocAsync while its stream is captured");
    const cudaError_t error = allocate(p, bytes, device_memory);
    if (error == cudaSuccess && *p) check::made_in(queue_of(stream), *p);
    return error;
}
cudaError_t cudaMallocFromPoolAsync(void **p, size_t bytes, cudaMemPool_t, cudaStream_t stream) { return cudaMallocAsync(p, bytes, stream); }
cudaError_t cudaMallocHost(void **p, size_t bytes, unsigned) { return allocate(p, bytes, pinned_memory); }
cudaError_t cudaHostAlloc(void **p, size_t bytes, unsigned) { return allocate(p, bytes, pinned_memory); }

cudaError_t cudaMallocManaged(void **p, size_t bytes, unsigned flags) {
    if (bytes == 0 || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)) return smux_cpu_error(cudaErrorInvalidValue);
    return allocate(p, bytes, managed_memory);
}

cudaError_t cudaMallocPitch(void **p, size_t *pitch, size_t width, size_t height) {
    if (!p || !pitch) return smux_cpu_error(cudaErrorInvalidValue);
    if (width > smux_cpu::device::pitch_most) return smux_cpu_error(cudaErrorMemoryAllocation);
    *pitch = pitch_of(width);
    const cudaError_t error = allocate(p, *pitch * height, device_memory);
    if (*p) have_rows(*p, *pitch, width);
    return error;
}

cudaError_t cudaMalloc3D(cudaPitchedPtr *p, cudaExtent extent) {
    if (!p) return smux_cpu_error(cudaErrorInvalidValue);
    *p = {nullptr, pitch_of(extent.width), extent.width, extent.height};
    const cudaError_t error = allocate(&p->ptr, p->pitch * extent.height * extent.depth, device_memory);
    if (p->ptr) have_rows(p->ptr, p->pitch, extent.width);
    return error;
}

// These wait for the device.
cudaError_t cudaFree(void *p) { return check::host_waits_for_all(), release(p, false); }
cudaError_t cudaFreeHost(void *p) { return check::host_waits_for_all(), release(p, true); }
cudaError_t cudaFreeAsync(void *p, cudaStream_t stream) {
    if (smux_cpu_captures(stream)) smux_cpu_not_supported("cudaFreeAsync while its stream is captured");
    void *base;
    size_t bytes;
    const smux_cpu::turn mine;
    check::begin_operation(queue_of(stream), "cudaFreeAsync", false);
    if (smux_cpu_find_allocation(p, &base, &bytes, nullptr)) check::operation_access(p, bytes, true, false);
    return release(p, false);
}

cudaError_t cudaHostRegister(void *p, size_t bytes, unsigned flags) {
    if (!p || bytes == 0) return smux_cpu_error(cudaErrorInvalidValue);
    if (registration_of(p)) return smux_cpu_error(cudaErrorHostMemoryAlreadyRegistered);
    registered[static_cast<const char *>(p)] = {bytes, flags};
    return cudaSuccess;
}

cudaError_t cudaHostUnregister(void *p) {
    return registered.erase(static_cast<const char *>(p)) ? cudaSuccess : smux_cpu_error(cudaErrorHostMemoryNotRegistered);
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned flags) {
    if (!device || !host || flags) return smux_cpu_error(cudaErrorInvalidValue);
    void *base;
    size_t bytes;
    int k;
    const bool pinned = smux_cpu_find_allocation(host, &base, &bytes, &k) && k == pinned_memory;
    if (!pinned && !registration_of(host)) return smux_cpu_error(cudaErrorInvalidValue);
    *device = host;
    return cudaSuccess;
}

cudaError_t cudaHostGetFlags(unsigned *flags, void *host) {
    if (!flags) return smux_cpu_error(cudaErrorInvalidValue);
    void *base;
    size_t bytes;
    int k;
    if (const auto *entry = registration_of(host)) {
        *flags = entry->second.flags;
    } else if (smux_cpu_find_allocation(host, &base, &bytes, &k) && k == pinned_memory) {
        *flags = cudaHostAllocMapped;
    } else {
        return smux_cpu_error(cudaErrorInvalidValue);
    }
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *free, size_t *total) {
    const size_t used = smux_cpu_allocated();
    if (free) *free = used < smux_cpu::device::memory ? smux_cpu::device::memory - used : 0;
    if (total) *total = smux_cpu::device::memory;
    return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *p) {
    if (!attributes) return smux_cpu_error(cudaErrorInvalidValue);
    void *const same = const_cast<void *>(p);
    void *base;
    size_t bytes;
    int k;
    if (smux_cpu_find_allocation(p, &base, &bytes, &k)) {
        switch (k) {
            case device_memory: *attributes = {cudaMemoryTypeDevice, 0, same, nullptr}; break;
            case managed_memory: *attributes = {cudaMemoryTypeManaged, 0, same, same}; break;
            default: *attributes = {cudaMemoryTypeHost, 0, same, same}; break;
        }
    } else if (registration_of(p)) {
        *attributes = {cudaMemoryTypeHost, 0, same, same};
    } else {
        *attributes = {cudaMemoryTypeUnregistered, cudaInvalidDeviceId, nullptr, same};
    }
    return cudaSuccess;
}

}  // extern "C"
