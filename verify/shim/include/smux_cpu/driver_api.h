// Functions of the driver API: devices, contexts, memory, streams and events, by those of the runtime API.
#pragma once
#include <cstring>

#include "smux_cpu/driver_types.h"
#include "smux_cpu/runtime_api.h"

// ---- errors
inline CUresult cuGetErrorName(CUresult error, const char **name) {
    *name = error == CUDA_SUCCESS ? "CUDA_SUCCESS" : cudaGetErrorName(cudaError_t(error));
    return CUDA_SUCCESS;
}
inline CUresult cuGetErrorString(CUresult error, const char **text) {
    *text = cudaGetErrorString(cudaError_t(error));
    return CUDA_SUCCESS;
}

// ---- the device
inline CUresult cuInit(unsigned) { return CUDA_SUCCESS; }
inline CUresult cuDriverGetVersion(int *version) { return CUresult(cudaDriverGetVersion(version)); }
inline CUresult cuDeviceGetCount(int *count) { return CUresult(cudaGetDeviceCount(count)); }
inline CUresult cuDeviceGet(CUdevice *device, int ordinal) {
    *device = ordinal;
    return ordinal == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}
inline CUresult cuDeviceGetName(char *name, int length, CUdevice device) {
    cudaDeviceProp properties;
    const cudaError_t error = cudaGetDeviceProperties(&properties, device);
    if (error == cudaSuccess && length > 0) {
        strncpy(name, properties.name, size_t(length));
        name[length - 1] = 0;
    }
    return CUresult(error);
}
inline CUresult cuDeviceTotalMem(size_t *bytes, CUdevice) { return CUresult(cudaMemGetInfo(nullptr, bytes)); }
inline CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
    return CUresult(cudaDeviceGetAttribute(value, cudaDeviceAttr(attribute), device));
}
inline CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device) {
    cudaDeviceGetAttribute(major, cudaDevAttrComputeCapabilityMajor, device);
    return CUresult(cudaDeviceGetAttribute(minor, cudaDevAttrComputeCapabilityMinor, device));
}
inline CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device) {
    cudaDeviceProp properties;
    const cudaError_t error = cudaGetDeviceProperties(&properties, device);
    if (error == cudaSuccess) *uuid = properties.uuid;
    return CUresult(error);
}
inline CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer) { return CUresult(cudaDeviceCanAccessPeer(can, device, peer)); }

// ---- contexts: one, which is always current
inline CUcontext smux_cpu_context() { return (CUcontext)1; }
inline CUresult cuCtxCreate(CUcontext *context, unsigned, CUdevice device) {
    *context = smux_cpu_context();
    return CUresult(cudaSetDevice(device));
}
inline CUresult cuCtxCreate(CUcontext *context, CUctxCreateParams *, unsigned flags, CUdevice device) { return cuCtxCreate(context, flags, device); }
inline CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) { return cuCtxCreate(context, 0, device); }
inline CUresult cuDevicePrimaryCtxRelease(CUdevice) { return CUDA_SUCCESS; }
inline CUresult cuDevicePrimaryCtxReset(CUdevice) { return CUDA_SUCCESS; }
inline CUresult cuCtxDestroy(CUcontext) { return CUDA_SUCCESS; }
inline CUresult cuCtxDetach(CUcontext) { return CUDA_SUCCESS; }
inline CUresult cuCtxSetCurrent(CUcontext) { return CUDA_SUCCESS; }
inline CUresult cuCtxPushCurrent(CUcontext) { return CUDA_SUCCESS; }
inline CUresult cuCtxPopCurrent(CUcontext *context) {
    if (context) *context = smux_cpu_context();
    return CUDA_SUCCESS;
}
inline CUresult cuCtxGetCurrent(CUcontext *context) { return cuCtxPopCurrent(context); }
inline CUresult cuCtxGetDevice(CUdevice *device) { return CUresult(cudaGetDevice(device)); }
SMUX_CPU_INLINE CUresult cuCtxSynchronize() { return CUresult(cudaDeviceSynchronize()); }

// ---- memory
inline void *smux_cpu_pointer(CUdeviceptr p) { return reinterpret_cast<void *>(p); }

inline CUresult cuMemAlloc(CUdeviceptr *p, size_t bytes) {
    if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    return CUresult(cudaMalloc((void **)p, bytes));
}
inline CUresult cuMemAllocManaged(CUdeviceptr *p, size_t bytes, unsigned flags) { return CUresult(cudaMallocManaged((void **)p, bytes, flags)); }
inline CUresult cuMemAllocHost(void **p, size_t bytes) { return CUresult(cudaMallocHost(p, bytes)); }
inline CUresult cuMemHostAlloc(void **p, size_t bytes, unsigned flags) { return CUresult(cudaHostAlloc(p, bytes, flags)); }
inline CUresult cuMemHostGetDevicePointer(CUdeviceptr *device, void *host, unsigned flags) { return CUresult(cudaHostGetDevicePointer((void **)device, host, flags)); }
inline CUresult cuMemHostRegister(void *p, size_t bytes, unsigned flags) { return CUresult(cudaHostRegister(p, bytes, flags)); }
inline CUresult cuMemHostUnregister(void *p) { return CUresult(cudaHostUnregister(p)); }
inline CUresult cuMemAllocPitch(CUdeviceptr *p, size_t *pitch, size_t width, size_t height, unsigned) { return CUresult(cudaMallocPitch((void **)p, pitch, width, height)); }
inline CUresult cuMemFree(CUdeviceptr p) { return CUresult(cudaFree(smux_cpu_pointer(p))); }
inline CUresult cuMemFreeHost(void *p) { return CUresult(cudaFreeHost(p)); }
inline CUresult cuMemGetInfo(size_t *free, size_t *total) { return CUresult(cudaMemGetInfo(free, total)); }

inline CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t bytes) { return CUresult(cudaMemcpy(smux_cpu_pointer(to), from, bytes, cudaMemcpyHostToDevice)); }
inline CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
    return CUresult(cudaMemcpy(smux_cpu_pointer(to), smux_cpu_pointer(from), bytes, cudaMemcpyDeviceToDevice));
}
template <class T> SMUX_CPU_INLINE CUresult cuMemcpyDtoH(T *to, CUdeviceptr from, size_t bytes) {
    return CUresult(cudaMemcpy(to, (const void *)smux_cpu_pointer(from), bytes, cudaMemcpyDeviceToHost));
}
inline CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes, CUstream stream) { return smux_cpu_in_stream(stream), cuMemcpyHtoD(to, from, bytes); }
inline CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) { return smux_cpu_in_stream(stream), cuMemcpyDtoD(to, from, bytes); }
template <class T> SMUX_CPU_INLINE CUresult cuMemcpyDtoHAsync(T *to, CUdeviceptr from, size_t bytes, CUstream stream) { return smux_cpu_in_stream(stream), cuMemcpyDtoH(to, from, bytes); }

inline CUresult cuMemsetD8(CUdeviceptr p, unsigned char value, size_t count) { return CUresult(cudaMemset(smux_cpu_pointer(p), value, count)); }
inline CUresult cuMemsetD32(CUdeviceptr p, unsigned value, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (const cudaError_t error = cudaMemcpy((unsigned *)smux_cpu_pointer(p) + i, &value, sizeof value, cudaMemcpyHostToDevice)) return CUresult(error);
    return CUDA_SUCCESS;
}

// ---- streams and events: the same handles as in the runtime API
inline CUresult cuStreamCreate(CUstream *stream, unsigned flags) { return CUresult(cudaStreamCreateWithFlags(stream, flags)); }
inline CUresult cuStreamDestroy(CUstream stream) { return CUresult(cudaStreamDestroy(stream)); }
SMUX_CPU_INLINE CUresult cuStreamSynchronize(CUstream stream) { return CUresult(cudaStreamSynchronize(stream)); }
SMUX_CPU_INLINE CUresult cuStreamQuery(CUstream stream) { return CUresult(cudaStreamQuery(stream)); }
inline CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) { return CUresult(cudaStreamWaitEvent(stream, event, flags)); }
inline CUresult cuEventCreate(CUevent *event, unsigned flags) { return CUresult(cudaEventCreateWithFlags(event, flags)); }
inline CUresult cuEventDestroy(CUevent event) { return CUresult(cudaEventDestroy(event)); }
inline CUresult cuEventRecord(CUevent event, CUstream stream) { return CUresult(cudaEventRecord(event, stream)); }
SMUX_CPU_INLINE CUresult cuEventSynchronize(CUevent event) { return CUresult(cudaEventSynchronize(event)); }
SMUX_CPU_INLINE CUresult cuEventQuery(CUevent event) { return CUresult(cudaEventQuery(event)); }
inline CUresult cuEventElapsedTime(float *milliseconds, CUevent begin, CUevent end) { return CUresult(cudaEventElapsedTime(milliseconds, begin, end)); }

// ---- not here: kernels of modules, virtual memory
#define SMUX_CPU_UNSUPPORTED_DRIVER(name) \
    template <class... A> CUresult name(A &&...) { smux_cpu_not_supported(#name); }
SMUX_CPU_UNSUPPORTED_DRIVER(cuModuleLoad)
SMUX_CPU_UNSUPPORTED_DRIVER(cuModuleLoadData)
SMUX_CPU_UNSUPPORTED_DRIVER(cuModuleLoadDataEx)
SMUX_CPU_UNSUPPORTED_DRIVER(cuModuleLoadFatBinary)
SMUX_CPU_UNSUPPORTED_DRIVER(cuModuleUnload)
SMUX_CPU_UNSUPPORTED_DRIVER(cuModuleGetFunction)
SMUX_CPU_UNSUPPORTED_DRIVER(cuModuleGetGlobal)
SMUX_CPU_UNSUPPORTED_DRIVER(cuModuleGetTexRef)
SMUX_CPU_UNSUPPORTED_DRIVER(cuLinkCreate)
SMUX_CPU_UNSUPPORTED_DRIVER(cuLinkAddData)
SMUX_CPU_UNSUPPORTED_DRIVER(cuLinkAddFile)
SMUX_CPU_UNSUPPORTED_DRIVER(cuLinkComplete)
SMUX_CPU_UNSUPPORTED_DRIVER(cuLinkDestroy)
SMUX_CPU_UNSUPPORTED_DRIVER(cuLaunchKernel)
SMUX_CPU_UNSUPPORTED_DRIVER(cuLaunchCooperativeKernel)
SMUX_CPU_UNSUPPORTED_DRIVER(cuFuncGetAttribute)
SMUX_CPU_UNSUPPORTED_DRIVER(cuFuncSetAttribute)
SMUX_CPU_UNSUPPORTED_DRIVER(cuFuncSetCacheConfig)
SMUX_CPU_UNSUPPORTED_DRIVER(cuFuncSetBlockShape)
SMUX_CPU_UNSUPPORTED_DRIVER(cuFuncSetSharedSize)
SMUX_CPU_UNSUPPORTED_DRIVER(cuParamSetSize)
SMUX_CPU_UNSUPPORTED_DRIVER(cuParamSeti)
SMUX_CPU_UNSUPPORTED_DRIVER(cuParamSetv)
SMUX_CPU_UNSUPPORTED_DRIVER(cuLaunchGrid)
SMUX_CPU_UNSUPPORTED_DRIVER(cuOccupancyMaxActiveBlocksPerMultiprocessor)
SMUX_CPU_UNSUPPORTED_DRIVER(cuMemAddressReserve)
SMUX_CPU_UNSUPPORTED_DRIVER(cuMemAddressFree)
SMUX_CPU_UNSUPPORTED_DRIVER(cuMemCreate)
SMUX_CPU_UNSUPPORTED_DRIVER(cuMemRelease)
SMUX_CPU_UNSUPPORTED_DRIVER(cuMemMap)
SMUX_CPU_UNSUPPORTED_DRIVER(cuMemUnmap)
SMUX_CPU_UNSUPPORTED_DRIVER(cuMemSetAccess)
SMUX_CPU_UNSUPPORTED_DRIVER(cuMemGetAllocationGranularity)
#undef SMUX_CPU_UNSUPPORTED_DRIVER
