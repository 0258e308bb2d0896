// The device of the runtime API: what it is, and how it is set up.
#include <cstdio>
#include <cstring>

#include "smux_cpu/device.h"
#include "smux_cpu/device_limits.h"
#include "smux_cpu/host_abi.h"

namespace limits = smux_cpu::device;

namespace {

unsigned device_flags = cudaDeviceScheduleAuto;
cudaFuncCache cache_config = cudaFuncCachePreferNone;
cudaSharedMemConfig bank_config = cudaSharedMemBankSizeFourByte;
size_t limit_values[] = {1024, 1 << 20, limits::heap, 2, 2048, 64, 0};

constexpr int version = 12000;
constexpr char bus_name[] = "0000:00:00.0";

cudaError_t check_device(int device) { return device == 0 ? cudaSuccess : smux_cpu_error(cudaErrorInvalidDevice); }

cudaDeviceProp describe() {
    cudaDeviceProp p{};
    strcpy(p.name, "smux CPU");
    p.major = 8, p.minor = 0;
    p.clockRate = 1000000, p.memoryClockRate = 1000000, p.memoryBusWidth = 256;
    p.multiProcessorCount = limits::multiprocessors;

    p.totalGlobalMem = limits::memory, p.totalConstMem = 64 << 10, p.memPitch = limits::pitch_most;
    p.sharedMemPerBlock = limits::shared_per_block, p.sharedMemPerBlockOptin = limits::shared_per_block_most;
    p.sharedMemPerMultiprocessor = limits::shared_per_multiprocessor, p.reservedSharedMemPerBlock = limits::shared_reserved;
    p.regsPerBlock = p.regsPerMultiprocessor = limits::registers_per_multiprocessor;
    p.warpSize = limits::warp;
    p.maxThreadsPerBlock = limits::threads_per_block;
    p.maxThreadsPerMultiProcessor = limits::threads_per_multiprocessor;
    p.maxBlocksPerMultiProcessor = limits::blocks_per_multiprocessor;
    p.maxThreadsDim[0] = limits::block_x, p.maxThreadsDim[1] = limits::block_y, p.maxThreadsDim[2] = limits::block_z;
    p.maxGridSize[0] = limits::grid_x, p.maxGridSize[1] = limits::grid_y, p.maxGridSize[2] = limits::grid_z;
    p.l2CacheSize = 40 << 20, p.persistingL2CacheMaxSize = 30 << 20, p.accessPolicyMaxWindowSize = 128 << 20;

    p.deviceOverlap = p.concurrentKernels = 1, p.asyncEngineCount = 3;
    p.canMapHostMemory = p.unifiedAddressing = p.managedMemory = p.concurrentManagedAccess = 1;
    p.hostRegisterSupported = p.canUseHostPointerForRegisteredMem = p.computePreemptionSupported = 1;
    p.cooperativeLaunch = p.streamPrioritiesSupported = p.memoryPoolsSupported = 1;
    p.globalL1CacheSupported = p.localL1CacheSupported = 1;
    p.computeMode = cudaComputeModeDefault;
    p.singleToDoublePrecisionPerfRatio = 2;

    p.textureAlignment = 512, p.texturePitchAlignment = 32, p.surfaceAlignment = 512;
    p.maxTexture1D = 131072, p.maxTexture1DMipmap = 32768, p.maxTexture1DLinear = 1 << 28;
    p.maxTexture2D[0] = 131072, p.maxTexture2D[1] = 65536;
    p.maxTexture2DLinear[0] = 131072, p.maxTexture2DLinear[1] = 65000, p.maxTexture2DLinear[2] = 2097120;
    p.maxTexture3D[0] = p.maxTexture3D[1] = p.maxTexture3D[2] = 16384;
    p.maxTexture1DLayered[0] = 32768, p.maxTexture1DLayered[1] = 2048;
    p.maxTexture2DLayered[0] = p.maxTexture2DLayered[1] = 32768, p.maxTexture2DLayered[2] = 2048;
    p.maxTextureCubemap = 32768;
    p.maxSurface1D = 32768, p.maxSurface2D[0] = 131072, p.maxSurface2D[1] = 65536;
    p.maxSurface3D[0] = p.maxSurface3D[1] = p.maxSurface3D[2] = 16384;
    return p;
}

const cudaDeviceProp &the_device() {
    static const cudaDeviceProp device = describe();
    return device;
}

}  // namespace

extern "C" {

cudaError_t cudaGetDeviceCount(int *count) {
    if (!count) return smux_cpu_error(cudaErrorInvalidValue);
    *count = 1;
    return cudaSuccess;
}
cudaError_t cudaGetDevice(int *device) {
    if (!device) return smux_cpu_error(cudaErrorInvalidValue);
    *device = 0;
    return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) { return check_device(device); }
cudaError_t cudaSetValidDevices(int *devices, int count) {
    for (int i = 0; i < count; i++)
        if (const cudaError_t error = check_device(devices[i])) return error;
    return cudaSuccess;
}
cudaError_t cudaChooseDevice(int *device, const cudaDeviceProp *) { return cudaGetDevice(device); }
cudaError_t cudaInitDevice(int device, unsigned, unsigned) { return check_device(device); }
cudaError_t cudaSetDeviceFlags(unsigned flags) {
    if (flags & ~unsigned(cudaDeviceMask)) return smux_cpu_error(cudaErrorInvalidValue);
    device_flags = flags;
    return cudaSuccess;
}
cudaError_t cudaGetDeviceFlags(unsigned *flags) {
    *flags = device_flags | cudaDeviceMapHost;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device) {
    if (!properties) return smux_cpu_error(cudaErrorInvalidValue);
    if (const cudaError_t error = check_device(device)) return error;
    *properties = the_device();
    return cudaSuccess;
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *bus) {
    if (!device || !bus || strcmp(bus, bus_name) != 0) return smux_cpu_error(cudaErrorInvalidValue);
    return cudaGetDevice(device);
}
cudaError_t cudaDeviceGetPCIBusId(char *bus, int length, int device) {
    if (!bus || length <= 0) return smux_cpu_error(cudaErrorInvalidValue);
    if (const cudaError_t error = check_device(device)) return error;
    snprintf(bus, size_t(length), "%s", bus_name);
    return cudaSuccess;
}
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
    if (least) *least = 0;
    if (greatest) *greatest = -5;
    return cudaSuccess;
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
    if (size_t(limit) >= sizeof limit_values / sizeof *limit_values) return smux_cpu_error(cudaErrorUnsupportedLimit);
    limit_values[limit] = value;
    return cudaSuccess;
}
cudaError_t cudaDeviceGetLimit(size_t *value, cudaLimit limit) {
    if (!value) return smux_cpu_error(cudaErrorInvalidValue);
    if (size_t(limit) >= sizeof limit_values / sizeof *limit_values) return smux_cpu_error(cudaErrorUnsupportedLimit);
    *value = limit_values[limit];
    return cudaSuccess;
}
cudaError_t cudaThreadSetLimit(cudaLimit limit, size_t value) { return cudaDeviceSetLimit(limit, value); }
cudaError_t cudaThreadGetLimit(size_t *value, cudaLimit limit) { return cudaDeviceGetLimit(value, limit); }

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config) {
    cache_config = config;
    return cudaSuccess;
}
cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache *config) {
    *config = cache_config;
    return cudaSuccess;
}
cudaError_t cudaThreadSetCacheConfig(cudaFuncCache config) { return cudaDeviceSetCacheConfig(config); }
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig config) {
    bank_config = config;
    return cudaSuccess;
}
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig *config) {
    *config = bank_config;
    return cudaSuccess;
}

// There is no peer to give access to.
cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer) {
    *can = 0;
    if (const cudaError_t error = check_device(device)) return error;
    return check_device(peer);
}
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) { return smux_cpu_error(cudaErrorInvalidDevice); }
cudaError_t cudaDeviceDisablePeerAccess(int) { return smux_cpu_error(cudaErrorPeerAccessNotEnabled); }
cudaError_t cudaDeviceGetP2PAttribute(int *value, cudaDeviceP2PAttr, int, int) {
    *value = 0;
    return smux_cpu_error(cudaErrorInvalidDevice);
}

cudaError_t cudaDriverGetVersion(int *v) {
    *v = version;
    return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int *v) { return cudaDriverGetVersion(v); }

cudaError_t cudaProfilerStart() { return cudaSuccess; }
cudaError_t cudaProfilerStop() { return cudaSuccess; }

}  // extern "C"
