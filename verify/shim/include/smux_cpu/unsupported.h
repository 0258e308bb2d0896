// What the runtime API has and this shim has not: some of graphs, sharing memory with other processes, external
// memory and graphics. Programs that contain such calls compile; one that makes the call ends there with
// "not supported: NAME".
#pragma once
#include "smux_cpu/abi.h"
#include "smux_cpu/types.h"

#define SMUX_CPU_UNSUPPORTED(name) \
    template <class... A> cudaError_t name(A &&...) { smux_cpu_not_supported(#name); }

SMUX_CPU_UNSUPPORTED(cudaStreamGetCaptureInfo)
SMUX_CPU_UNSUPPORTED(cudaStreamBeginCaptureToGraph)
SMUX_CPU_UNSUPPORTED(cudaStreamUpdateCaptureDependencies)
SMUX_CPU_UNSUPPORTED(cudaThreadExchangeStreamCaptureMode)

SMUX_CPU_UNSUPPORTED(cudaIpcGetMemHandle)
SMUX_CPU_UNSUPPORTED(cudaIpcOpenMemHandle)
SMUX_CPU_UNSUPPORTED(cudaIpcCloseMemHandle)
SMUX_CPU_UNSUPPORTED(cudaIpcGetEventHandle)
SMUX_CPU_UNSUPPORTED(cudaIpcOpenEventHandle)
SMUX_CPU_UNSUPPORTED(cudaMemPoolExportToShareableHandle)
SMUX_CPU_UNSUPPORTED(cudaMemPoolImportFromShareableHandle)
SMUX_CPU_UNSUPPORTED(cudaMemPoolExportPointer)
SMUX_CPU_UNSUPPORTED(cudaMemPoolImportPointer)

SMUX_CPU_UNSUPPORTED(cudaImportExternalMemory)
SMUX_CPU_UNSUPPORTED(cudaDestroyExternalMemory)
SMUX_CPU_UNSUPPORTED(cudaExternalMemoryGetMappedBuffer)
SMUX_CPU_UNSUPPORTED(cudaExternalMemoryGetMappedMipmappedArray)
SMUX_CPU_UNSUPPORTED(cudaImportExternalSemaphore)
SMUX_CPU_UNSUPPORTED(cudaDestroyExternalSemaphore)
SMUX_CPU_UNSUPPORTED(cudaSignalExternalSemaphoresAsync)
SMUX_CPU_UNSUPPORTED(cudaWaitExternalSemaphoresAsync)

SMUX_CPU_UNSUPPORTED(cudaGraphicsMapResources)
SMUX_CPU_UNSUPPORTED(cudaGraphicsUnmapResources)
SMUX_CPU_UNSUPPORTED(cudaGraphicsUnregisterResource)
SMUX_CPU_UNSUPPORTED(cudaGraphicsResourceSetMapFlags)
SMUX_CPU_UNSUPPORTED(cudaGraphicsResourceGetMappedPointer)
SMUX_CPU_UNSUPPORTED(cudaGraphicsSubResourceGetMappedArray)
SMUX_CPU_UNSUPPORTED(cudaGraphicsResourceGetMappedMipmappedArray)

SMUX_CPU_UNSUPPORTED(cudaGetDriverEntryPoint)
SMUX_CPU_UNSUPPORTED(cudaLaunchCooperativeKernelMultiDevice)
SMUX_CPU_UNSUPPORTED(cudaConfigureCall)
SMUX_CPU_UNSUPPORTED(cudaSetupArgument)
SMUX_CPU_UNSUPPORTED(cudaLaunch)

#include "smux_cpu/graph.h"

#undef SMUX_CPU_UNSUPPORTED
