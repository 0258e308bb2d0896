// cudaDeviceGetAttribute: the properties of the device, one number at a time.
#include "smux_cpu/device.h"
#include "smux_cpu/host_abi.h"

namespace {

// Attributes that are a property under another name.
struct same {
    cudaDeviceAttr attribute;
    int (*value)(const cudaDeviceProp &p);
};
#define SAME(name, member) {cudaDevAttr##name, [](const cudaDeviceProp &p) { return int(p.member); }}
const same properties[] = {
    SAME(MaxThreadsPerBlock, maxThreadsPerBlock),
    SAME(MaxBlockDimX, maxThreadsDim[0]),
    SAME(MaxBlockDimY, maxThreadsDim[1]),
    SAME(MaxBlockDimZ, maxThreadsDim[2]),
    SAME(MaxGridDimX, maxGridSize[0]),
    SAME(MaxGridDimY, maxGridSize[1]),
    SAME(MaxGridDimZ, maxGridSize[2]),
    SAME(MaxSharedMemoryPerBlock, sharedMemPerBlock),
    SAME(MaxSharedMemoryPerBlockOptin, sharedMemPerBlockOptin),
    SAME(MaxSharedMemoryPerMultiprocessor, sharedMemPerMultiprocessor),
    SAME(ReservedSharedMemoryPerBlock, reservedSharedMemPerBlock),
    SAME(TotalConstantMemory, totalConstMem),
    SAME(WarpSize, warpSize),
    SAME(MaxPitch, memPitch),
    SAME(MaxRegistersPerBlock, regsPerBlock),
    SAME(MaxRegistersPerMultiprocessor, regsPerMultiprocessor),
    SAME(ClockRate, clockRate),
    SAME(MemoryClockRate, memoryClockRate),
    SAME(GlobalMemoryBusWidth, memoryBusWidth),
    SAME(L2CacheSize, l2CacheSize),
    SAME(MaxPersistingL2CacheSize, persistingL2CacheMaxSize),
    SAME(MaxAccessPolicyWindowSize, accessPolicyMaxWindowSize),
    SAME(MultiProcessorCount, multiProcessorCount),
    SAME(MaxThreadsPerMultiProcessor, maxThreadsPerMultiProcessor),
    SAME(MaxBlocksPerMultiprocessor, maxBlocksPerMultiProcessor),
    SAME(ComputeCapabilityMajor, major),
    SAME(ComputeCapabilityMinor, minor),
    SAME(GpuOverlap, deviceOverlap),
    SAME(AsyncEngineCount, asyncEngineCount),
    SAME(ConcurrentKernels, concurrentKernels),
    SAME(KernelExecTimeout, kernelExecTimeoutEnabled),
    SAME(Integrated, integrated),
    SAME(CanMapHostMemory, canMapHostMemory),
    SAME(ComputeMode, computeMode),
    SAME(EccEnabled, ECCEnabled),
    SAME(TccDriver, tccDriver),
    SAME(PciBusId, pciBusID),
    SAME(PciDeviceId, pciDeviceID),
    SAME(PciDomainId, pciDomainID),
    SAME(UnifiedAddressing, unifiedAddressing),
    SAME(ManagedMemory, managedMemory),
    SAME(ConcurrentManagedAccess, concurrentManagedAccess),
    SAME(PageableMemoryAccess, pageableMemoryAccess),
    SAME(PageableMemoryAccessUsesHostPageTables, pageableMemoryAccessUsesHostPageTables),
    SAME(DirectManagedMemAccessFromHost, directManagedMemAccessFromHost),
    SAME(HostNativeAtomicSupported, hostNativeAtomicSupported),
    SAME(HostRegisterSupported, hostRegisterSupported),
    SAME(HostRegisterReadOnlySupported, hostRegisterReadOnlySupported),
    SAME(CanUseHostPointerForRegisteredMem, canUseHostPointerForRegisteredMem),
    SAME(ComputePreemptionSupported, computePreemptionSupported),
    SAME(CooperativeLaunch, cooperativeLaunch),
    SAME(CooperativeMultiDeviceLaunch, cooperativeMultiDeviceLaunch),
    SAME(ClusterLaunch, clusterLaunch),
    SAME(MemoryPoolsSupported, memoryPoolsSupported),
    SAME(StreamPrioritiesSupported, streamPrioritiesSupported),
    SAME(GlobalL1CacheSupported, globalL1CacheSupported),
    SAME(LocalL1CacheSupported, localL1CacheSupported),
    SAME(SingleToDoublePrecisionPerfRatio, singleToDoublePrecisionPerfRatio),
    SAME(IsMultiGpuBoard, isMultiGpuBoard),
    SAME(MultiGpuBoardGroupID, multiGpuBoardGroupID),
    SAME(TextureAlignment, textureAlignment),
    SAME(TexturePitchAlignment, texturePitchAlignment),
    SAME(SurfaceAlignment, surfaceAlignment),
    SAME(MaxTexture1DWidth, maxTexture1D),
    SAME(MaxTexture1DLinearWidth, maxTexture1DLinear),
    SAME(MaxTexture2DWidth, maxTexture2D[0]),
    SAME(MaxTexture2DHeight, maxTexture2D[1]),
    SAME(MaxTexture2DLinearWidth, maxTexture2DLinear[0]),
    SAME(MaxTexture2DLinearHeight, maxTexture2DLinear[1]),
    SAME(MaxTexture2DLinearPitch, maxTexture2DLinear[2]),
    SAME(MaxTexture3DWidth, maxTexture3D[0]),
    SAME(MaxTexture3DHeight, maxTexture3D[1]),
    SAME(MaxTexture3DDepth, maxTexture3D[2]),
    SAME(MaxSurface1DWidth, maxSurface1D),
    SAME(MaxSurface2DWidth, maxSurface2D[0]),
    SAME(MaxSurface2DHeight, maxSurface2D[1]),
};
#undef SAME

}  // namespace

extern "C" cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device) {
    if (!value || attribute < cudaDevAttrMaxThreadsPerBlock || attribute > cudaDevAttrDeferredMappingCudaArraySupported) return smux_cpu_error(cudaErrorInvalidValue);
    cudaDeviceProp p;
    if (const cudaError_t error = cudaGetDeviceProperties(&p, device)) return error;
    *value = 0;  // what is not listed is not there
    for (const same &s : properties)
        if (s.attribute == attribute) *value = s.value(p);
    return cudaSuccess;
}
