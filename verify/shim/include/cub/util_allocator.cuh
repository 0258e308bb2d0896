// CUB's allocator that keeps freed memory for later; here it gives it back at once.
#pragma once
#include "smux_cpu/names_begin.h"
#include "smux_cpu/host.h"

namespace cub {

struct CachingDeviceAllocator {
    explicit CachingDeviceAllocator(unsigned = 8, unsigned = 3, unsigned = 7, size_t = 0, bool = false, bool = false) {}
    explicit CachingDeviceAllocator(bool, bool = false) {}
    cudaError_t DeviceAllocate(int, void **p, size_t bytes, cudaStream_t = nullptr) { return cudaMalloc(p, bytes); }
    cudaError_t DeviceAllocate(void **p, size_t bytes, cudaStream_t = nullptr) { return cudaMalloc(p, bytes); }
    cudaError_t DeviceFree(int, void *p) { return cudaFree(p); }
    cudaError_t DeviceFree(void *p) { return cudaFree(p); }
    cudaError_t FreeAllCached() { return cudaSuccess; }
};

}  // namespace cub
#include "smux_cpu/names_end.h"
