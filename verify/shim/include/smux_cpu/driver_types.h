// Types of the driver API. Its error codes are those of the runtime API under other names.
#pragma once
#include "smux_cpu/types.h"

typedef enum cudaError_enum {
    CUDA_SUCCESS = 0,
    CUDA_ERROR_INVALID_VALUE = 1,
    CUDA_ERROR_OUT_OF_MEMORY = 2,
    CUDA_ERROR_NOT_INITIALIZED = 3,
    CUDA_ERROR_DEINITIALIZED = 4,
    CUDA_ERROR_NO_DEVICE = 100,
    CUDA_ERROR_INVALID_DEVICE = 101,
    CUDA_ERROR_INVALID_IMAGE = 200,
    CUDA_ERROR_INVALID_CONTEXT = 201,
    CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
    CUDA_ERROR_UNSUPPORTED_LIMIT = 215,
    CUDA_ERROR_INVALID_SOURCE = 300,
    CUDA_ERROR_FILE_NOT_FOUND = 301,
    CUDA_ERROR_INVALID_HANDLE = 400,
    CUDA_ERROR_NOT_FOUND = 500,
    CUDA_ERROR_NOT_READY = 600,
    CUDA_ERROR_ILLEGAL_ADDRESS = 700,
    CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701,
    CUDA_ERROR_LAUNCH_TIMEOUT = 702,
    CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED = 704,
    CUDA_ERROR_PEER_ACCESS_NOT_ENABLED = 705,
    CUDA_ERROR_ASSERT = 710,
    CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED = 712,
    CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED = 713,
    CUDA_ERROR_LAUNCH_FAILED = 719,
    CUDA_ERROR_NOT_PERMITTED = 800,
    CUDA_ERROR_NOT_SUPPORTED = 801,
    CUDA_ERROR_UNKNOWN = 999
} CUresult;

typedef unsigned long long CUdeviceptr;
typedef int CUdevice;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef cudaFunction_t CUfunction;
typedef cudaStream_t CUstream;
typedef cudaEvent_t CUevent;
typedef cudaGraph_t CUgraph;
typedef cudaGraphNode_t CUgraphNode;
typedef cudaGraphExec_t CUgraphExec;
typedef cudaMemPool_t CUmemoryPool;
typedef struct CUarray_st *CUarray;
typedef struct CUtexref_st *CUtexref;
typedef unsigned long long CUtexObject, CUsurfObject;
typedef unsigned CUjit_option;

// What newer programs pass to cuCtxCreate.
struct CUctxCreateParams {
    void *execAffinityParams;
    int numExecAffinityParams;
    void *cigParams;
};

enum CUctx_flags {
    CU_CTX_SCHED_AUTO = 0x00,
    CU_CTX_SCHED_SPIN = 0x01,
    CU_CTX_SCHED_YIELD = 0x02,
    CU_CTX_SCHED_BLOCKING_SYNC = 0x04,
    CU_CTX_BLOCKING_SYNC = 0x04,
    CU_CTX_MAP_HOST = 0x08
};
enum CUstream_flags { CU_STREAM_DEFAULT = 0, CU_STREAM_NON_BLOCKING = 1 };
enum CUevent_flags { CU_EVENT_DEFAULT = 0, CU_EVENT_BLOCKING_SYNC = 1, CU_EVENT_DISABLE_TIMING = 2 };
enum CUmemAttach_flags { CU_MEM_ATTACH_GLOBAL = 1, CU_MEM_ATTACH_HOST = 2, CU_MEM_ATTACH_SINGLE = 4 };
enum CUcomputemode { CU_COMPUTEMODE_DEFAULT = 0, CU_COMPUTEMODE_PROHIBITED = 2, CU_COMPUTEMODE_EXCLUSIVE_PROCESS = 3 };
#define CU_LAUNCH_PARAM_END ((void *)0x00)
#define CU_LAUNCH_PARAM_BUFFER_POINTER ((void *)0x01)
#define CU_LAUNCH_PARAM_BUFFER_SIZE ((void *)0x02)
#define CU_MEMHOSTALLOC_PORTABLE 0x01
#define CU_MEMHOSTALLOC_DEVICEMAP 0x02
#define CU_MEMHOSTALLOC_WRITECOMBINED 0x04
#define CU_STREAM_LEGACY ((CUstream)0x1)
#define CU_STREAM_PER_THREAD ((CUstream)0x2)

// The attributes that programs ask for; a number not named here can be cast.
typedef enum CUdevice_attribute_enum {
    CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = cudaDevAttrMaxThreadsPerBlock,
    CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X = cudaDevAttrMaxBlockDimX,
    CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y = cudaDevAttrMaxBlockDimY,
    CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z = cudaDevAttrMaxBlockDimZ,
    CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X = cudaDevAttrMaxGridDimX,
    CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y = cudaDevAttrMaxGridDimY,
    CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z = cudaDevAttrMaxGridDimZ,
    CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK = cudaDevAttrMaxSharedMemoryPerBlock,
    CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY = cudaDevAttrTotalConstantMemory,
    CU_DEVICE_ATTRIBUTE_WARP_SIZE = cudaDevAttrWarpSize,
    CU_DEVICE_ATTRIBUTE_MAX_PITCH = cudaDevAttrMaxPitch,
    CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK = cudaDevAttrMaxRegistersPerBlock,
    CU_DEVICE_ATTRIBUTE_CLOCK_RATE = cudaDevAttrClockRate,
    CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT = cudaDevAttrTextureAlignment,
    CU_DEVICE_ATTRIBUTE_GPU_OVERLAP = cudaDevAttrGpuOverlap,
    CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = cudaDevAttrMultiProcessorCount,
    CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT = cudaDevAttrKernelExecTimeout,
    CU_DEVICE_ATTRIBUTE_INTEGRATED = cudaDevAttrIntegrated,
    CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY = cudaDevAttrCanMapHostMemory,
    CU_DEVICE_ATTRIBUTE_COMPUTE_MODE = cudaDevAttrComputeMode,
    CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS = cudaDevAttrConcurrentKernels,
    CU_DEVICE_ATTRIBUTE_ECC_ENABLED = cudaDevAttrEccEnabled,
    CU_DEVICE_ATTRIBUTE_PCI_BUS_ID = cudaDevAttrPciBusId,
    CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID = cudaDevAttrPciDeviceId,
    CU_DEVICE_ATTRIBUTE_TCC_DRIVER = cudaDevAttrTccDriver,
    CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE = cudaDevAttrMemoryClockRate,
    CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH = cudaDevAttrGlobalMemoryBusWidth,
    CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE = cudaDevAttrL2CacheSize,
    CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR = cudaDevAttrMaxThreadsPerMultiProcessor,
    CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT = cudaDevAttrAsyncEngineCount,
    CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING = cudaDevAttrUnifiedAddressing,
    CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID = cudaDevAttrPciDomainId,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = cudaDevAttrComputeCapabilityMajor,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = cudaDevAttrComputeCapabilityMinor,
    CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR = cudaDevAttrMaxSharedMemoryPerMultiprocessor,
    CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR = cudaDevAttrMaxRegistersPerMultiprocessor,
    CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY = cudaDevAttrManagedMemory,
    CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS = cudaDevAttrConcurrentManagedAccess,
    CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH = cudaDevAttrCooperativeLaunch,
    CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = cudaDevAttrMaxSharedMemoryPerBlockOptin,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_WIDTH = cudaDevAttrMaxTexture1DWidth,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH = cudaDevAttrMaxTexture2DWidth,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_HEIGHT = cudaDevAttrMaxTexture2DHeight,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH = cudaDevAttrMaxTexture3DWidth,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT = cudaDevAttrMaxTexture3DHeight,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH = cudaDevAttrMaxTexture3DDepth,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_WIDTH = cudaDevAttrMaxTexture1DLayeredWidth,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_LAYERS = cudaDevAttrMaxTexture1DLayeredLayers,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_WIDTH = cudaDevAttrMaxTexture2DLayeredWidth,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_HEIGHT = cudaDevAttrMaxTexture2DLayeredHeight,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_LAYERS = cudaDevAttrMaxTexture2DLayeredLayers,
    CU_DEVICE_ATTRIBUTE_SURFACE_ALIGNMENT = cudaDevAttrSurfaceAlignment,
    CU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED = cudaDevAttrComputePreemptionSupported,
    CU_DEVICE_ATTRIBUTE_COOPERATIVE_MULTI_DEVICE_LAUNCH = cudaDevAttrCooperativeMultiDeviceLaunch,
    CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED = cudaDevAttrMemoryPoolsSupported
} CUdevice_attribute;

// Attributes of kernels and of the device, as old programs ask for them in one structure.
typedef enum CUfunction_attribute_enum {
    CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
    CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
    CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES = 2,
    CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
    CU_FUNC_ATTRIBUTE_NUM_REGS = 4,
    CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8
} CUfunction_attribute;
