// Allocation: device, managed and page-locked memory. All of it is ordinary memory of the process, at
// addresses that host and device share.
#pragma once
#include "smux_cpu/host_abi.h"

extern "C" {

cudaError_t cudaMalloc(void **p, size_t bytes);
cudaError_t cudaMallocPitch(void **p, size_t *pitch, size_t width, size_t height);
cudaError_t cudaMalloc3D(cudaPitchedPtr *p, cudaExtent extent);
cudaError_t cudaMallocManaged(void **p, size_t bytes, unsigned flags = cudaMemAttachGlobal);
cudaError_t cudaMallocHost(void **p, size_t bytes, unsigned flags = cudaHostAllocDefault);
cudaError_t cudaHostAlloc(void **p, size_t bytes, unsigned flags);
cudaError_t cudaMallocAsync(void **p, size_t bytes, cudaStream_t stream = nullptr);
cudaError_t cudaFree(void *p);
cudaError_t cudaFreeHost(void *p);
cudaError_t cudaFreeAsync(void *p, cudaStream_t stream = nullptr);

cudaError_t cudaHostRegister(void *p, size_t bytes, unsigned flags = cudaHostRegisterDefault);
cudaError_t cudaHostUnregister(void *p);
cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned flags);
cudaError_t cudaHostGetFlags(unsigned *flags, void *host);

cudaError_t cudaMemGetInfo(size_t *free, size_t *total);
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *p);

// Hints where managed memory should be. They move nothing.
cudaError_t cudaMemPrefetchAsync(const void *p, size_t bytes, int device, cudaStream_t stream = nullptr);
cudaError_t cudaMemAdvise(const void *p, size_t bytes, cudaMemoryAdvise advice, int device);
cudaError_t cudaMemRangeGetAttribute(void *value, size_t size, cudaMemRangeAttribute attribute, const void *p, size_t bytes);

// Pools: one, which is the device's memory.
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device);
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device);
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool);
cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const cudaMemPoolProps *properties);
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool);
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void *value);
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void *value);
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc *access, size_t count);
cudaError_t cudaMallocFromPoolAsync(void **p, size_t bytes, cudaMemPool_t pool, cudaStream_t stream);

}  // extern "C"

// The same for pointers to what will be stored there.
template <class T> cudaError_t cudaMalloc(T **p, size_t bytes) { return ::cudaMalloc((void **)p, bytes); }
template <class T> cudaError_t cudaMallocPitch(T **p, size_t *pitch, size_t width, size_t height) { return ::cudaMallocPitch((void **)p, pitch, width, height); }
template <class T> cudaError_t cudaMallocManaged(T **p, size_t bytes, unsigned flags = cudaMemAttachGlobal) { return ::cudaMallocManaged((void **)p, bytes, flags); }
template <class T> cudaError_t cudaMallocHost(T **p, size_t bytes, unsigned flags = cudaHostAllocDefault) { return ::cudaMallocHost((void **)p, bytes, flags); }
template <class T> cudaError_t cudaHostAlloc(T **p, size_t bytes, unsigned flags) { return ::cudaHostAlloc((void **)p, bytes, flags); }
template <class T> cudaError_t cudaMallocAsync(T **p, size_t bytes, cudaStream_t stream = nullptr) { return ::cudaMallocAsync((void **)p, bytes, stream); }
template <class T> cudaError_t cudaMallocAsync(T **p, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) { return ::cudaMallocFromPoolAsync((void **)p, bytes, pool, stream); }
template <class T> cudaError_t cudaMallocFromPoolAsync(T **p, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) { return ::cudaMallocFromPoolAsync((void **)p, bytes, pool, stream); }
template <class T> cudaError_t cudaHostGetDevicePointer(T **device, void *host, unsigned flags) { return ::cudaHostGetDevicePointer((void **)device, host, flags); }

// Managed memory and its place as newer programs say it.
inline cudaError_t cudaMemPrefetchAsync(const void *p, size_t bytes, cudaMemLocation place, unsigned, cudaStream_t stream = nullptr) {
    return cudaMemPrefetchAsync(p, bytes, place.type == cudaMemLocationTypeDevice ? place.id : cudaCpuDeviceId, stream);
}
inline cudaError_t cudaMemAdvise(const void *p, size_t bytes, cudaMemoryAdvise advice, cudaMemLocation place) {
    return cudaMemAdvise(p, bytes, advice, place.type == cudaMemLocationTypeDevice ? place.id : cudaCpuDeviceId);
}
