// The device: one, number 0, as device_limits.h describes it.
#pragma once
#include "smux_cpu/abi.h"
#include "smux_cpu/types.h"

extern "C" {

cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaSetValidDevices(int *devices, int count);
cudaError_t cudaChooseDevice(int *device, const cudaDeviceProp *wanted);
cudaError_t cudaInitDevice(int device, unsigned device_flags, unsigned flags);
cudaError_t cudaSetDeviceFlags(unsigned flags);
cudaError_t cudaGetDeviceFlags(unsigned *flags);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device);
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device);
cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *bus);
cudaError_t cudaDeviceGetPCIBusId(char *bus, int length, int device);
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest);

// Limits and cache settings are kept and given back; none of them changes what programs do.
cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value);
cudaError_t cudaDeviceGetLimit(size_t *value, cudaLimit limit);
cudaError_t cudaThreadSetLimit(cudaLimit limit, size_t value);
cudaError_t cudaThreadGetLimit(size_t *value, cudaLimit limit);
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config);
cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache *config);
cudaError_t cudaThreadSetCacheConfig(cudaFuncCache config);
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig config);
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig *config);

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer);
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags);
cudaError_t cudaDeviceDisablePeerAccess(int peer);
cudaError_t cudaDeviceGetP2PAttribute(int *value, cudaDeviceP2PAttr attribute, int device, int peer);

cudaError_t cudaDriverGetVersion(int *version);
cudaError_t cudaRuntimeGetVersion(int *version);

cudaError_t cudaProfilerStart();
cudaError_t cudaProfilerStop();

}  // extern "C"

// Waiting for the device. Inline, so that what is logged carries the place of the call in the program.
SMUX_CPU_INLINE cudaError_t cudaDeviceSynchronize() {
    if (smux_cpu_in_kernel) smux_cpu_not_supported("cudaDeviceSynchronize in a kernel");
    smux_cpu_wait_for_all();
    smux_cpu_log_managed();
    return cudaSuccess;
}
SMUX_CPU_INLINE cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
SMUX_CPU_INLINE cudaError_t cudaDeviceReset() { return cudaDeviceSynchronize(); }
SMUX_CPU_INLINE cudaError_t cudaThreadExit() { return cudaDeviceSynchronize(); }
