// Graphs: their types, so that programs compile; no function of theirs can be called. A part of unsupported.h.
#pragma once
#include "smux_cpu/types.h"

enum cudaGraphNodeType {
    cudaGraphNodeTypeKernel = 0,
    cudaGraphNodeTypeMemcpy = 1,
    cudaGraphNodeTypeMemset = 2,
    cudaGraphNodeTypeHost = 3,
    cudaGraphNodeTypeGraph = 4,
    cudaGraphNodeTypeEmpty = 5,
    cudaGraphNodeTypeWaitEvent = 6,
    cudaGraphNodeTypeEventRecord = 7,
    cudaGraphNodeTypeExtSemaphoreSignal = 8,
    cudaGraphNodeTypeExtSemaphoreWait = 9,
    cudaGraphNodeTypeMemAlloc = 10,
    cudaGraphNodeTypeMemFree = 11,
    cudaGraphNodeTypeConditional = 13,
    cudaGraphNodeTypeCount
};

enum cudaGraphExecUpdateResult {
    cudaGraphExecUpdateSuccess = 0,
    cudaGraphExecUpdateError = 1,
    cudaGraphExecUpdateErrorTopologyChanged = 2,
    cudaGraphExecUpdateErrorNodeTypeChanged = 3,
    cudaGraphExecUpdateErrorFunctionChanged = 4,
    cudaGraphExecUpdateErrorParametersChanged = 5,
    cudaGraphExecUpdateErrorNotSupported = 6
};
struct cudaGraphExecUpdateResultInfo {
    cudaGraphExecUpdateResult result;
    cudaGraphNode_t errorNode, errorFromNode;
};

enum cudaGraphInstantiateFlags {
    cudaGraphInstantiateFlagAutoFreeOnLaunch = 1,
    cudaGraphInstantiateFlagUpload = 2,
    cudaGraphInstantiateFlagDeviceLaunch = 4,
    cudaGraphInstantiateFlagUseNodePriority = 8
};

enum cudaGraphMemAttributeType {
    cudaGraphMemAttrUsedMemCurrent = 0,
    cudaGraphMemAttrUsedMemHigh = 1,
    cudaGraphMemAttrReservedMemCurrent = 2,
    cudaGraphMemAttrReservedMemHigh = 3
};

struct cudaMemAllocNodeParams {
    cudaMemPoolProps poolProps;
    const cudaMemAccessDesc *accessDescs;
    size_t accessDescCount, bytesize;
    void *dptr;
};

SMUX_CPU_UNSUPPORTED(cudaDeviceGraphMemTrim)
SMUX_CPU_UNSUPPORTED(cudaDeviceGetGraphMemAttribute)
SMUX_CPU_UNSUPPORTED(cudaDeviceSetGraphMemAttribute)
SMUX_CPU_UNSUPPORTED(cudaUserObjectCreate)
SMUX_CPU_UNSUPPORTED(cudaUserObjectRelease)
SMUX_CPU_UNSUPPORTED(cudaUserObjectRetain)
SMUX_CPU_UNSUPPORTED(cudaGraphCreate)
SMUX_CPU_UNSUPPORTED(cudaGraphDestroy)
SMUX_CPU_UNSUPPORTED(cudaGraphClone)
SMUX_CPU_UNSUPPORTED(cudaGraphInstantiate)
SMUX_CPU_UNSUPPORTED(cudaGraphInstantiateWithFlags)
SMUX_CPU_UNSUPPORTED(cudaGraphInstantiateWithParams)
SMUX_CPU_UNSUPPORTED(cudaGraphLaunch)
SMUX_CPU_UNSUPPORTED(cudaGraphUpload)
SMUX_CPU_UNSUPPORTED(cudaGraphGetNodes)
SMUX_CPU_UNSUPPORTED(cudaGraphGetRootNodes)
SMUX_CPU_UNSUPPORTED(cudaGraphGetEdges)
SMUX_CPU_UNSUPPORTED(cudaGraphAddNode)
SMUX_CPU_UNSUPPORTED(cudaGraphAddDependencies)
SMUX_CPU_UNSUPPORTED(cudaGraphRemoveDependencies)
SMUX_CPU_UNSUPPORTED(cudaGraphDestroyNode)
SMUX_CPU_UNSUPPORTED(cudaGraphAddKernelNode)
SMUX_CPU_UNSUPPORTED(cudaGraphAddMemcpyNode)
SMUX_CPU_UNSUPPORTED(cudaGraphAddMemcpyNode1D)
SMUX_CPU_UNSUPPORTED(cudaGraphAddMemcpyNodeToSymbol)
SMUX_CPU_UNSUPPORTED(cudaGraphAddMemcpyNodeFromSymbol)
SMUX_CPU_UNSUPPORTED(cudaGraphAddMemsetNode)
SMUX_CPU_UNSUPPORTED(cudaGraphAddHostNode)
SMUX_CPU_UNSUPPORTED(cudaGraphAddChildGraphNode)
SMUX_CPU_UNSUPPORTED(cudaGraphAddEmptyNode)
SMUX_CPU_UNSUPPORTED(cudaGraphAddEventRecordNode)
SMUX_CPU_UNSUPPORTED(cudaGraphAddEventWaitNode)
SMUX_CPU_UNSUPPORTED(cudaGraphAddMemAllocNode)
SMUX_CPU_UNSUPPORTED(cudaGraphAddMemFreeNode)
SMUX_CPU_UNSUPPORTED(cudaGraphKernelNodeGetParams)
SMUX_CPU_UNSUPPORTED(cudaGraphKernelNodeSetParams)
SMUX_CPU_UNSUPPORTED(cudaGraphKernelNodeSetAttribute)
SMUX_CPU_UNSUPPORTED(cudaGraphKernelNodeGetAttribute)
SMUX_CPU_UNSUPPORTED(cudaGraphKernelNodeCopyAttributes)
SMUX_CPU_UNSUPPORTED(cudaGraphMemcpyNodeGetParams)
SMUX_CPU_UNSUPPORTED(cudaGraphMemcpyNodeSetParams)
SMUX_CPU_UNSUPPORTED(cudaGraphMemcpyNodeSetParams1D)
SMUX_CPU_UNSUPPORTED(cudaGraphMemsetNodeGetParams)
SMUX_CPU_UNSUPPORTED(cudaGraphMemsetNodeSetParams)
SMUX_CPU_UNSUPPORTED(cudaGraphHostNodeGetParams)
SMUX_CPU_UNSUPPORTED(cudaGraphHostNodeSetParams)
SMUX_CPU_UNSUPPORTED(cudaGraphChildGraphNodeGetGraph)
SMUX_CPU_UNSUPPORTED(cudaGraphNodeGetType)
SMUX_CPU_UNSUPPORTED(cudaGraphNodeGetDependencies)
SMUX_CPU_UNSUPPORTED(cudaGraphNodeGetDependentNodes)
SMUX_CPU_UNSUPPORTED(cudaGraphNodeFindInClone)
SMUX_CPU_UNSUPPORTED(cudaGraphNodeSetParams)
SMUX_CPU_UNSUPPORTED(cudaGraphNodeGetEnabled)
SMUX_CPU_UNSUPPORTED(cudaGraphNodeSetEnabled)
SMUX_CPU_UNSUPPORTED(cudaGraphExecDestroy)
SMUX_CPU_UNSUPPORTED(cudaGraphExecUpdate)
SMUX_CPU_UNSUPPORTED(cudaGraphExecKernelNodeSetParams)
SMUX_CPU_UNSUPPORTED(cudaGraphExecMemcpyNodeSetParams)
SMUX_CPU_UNSUPPORTED(cudaGraphExecMemcpyNodeSetParams1D)
SMUX_CPU_UNSUPPORTED(cudaGraphExecMemsetNodeSetParams)
SMUX_CPU_UNSUPPORTED(cudaGraphExecHostNodeSetParams)
SMUX_CPU_UNSUPPORTED(cudaGraphExecChildGraphNodeSetParams)
SMUX_CPU_UNSUPPORTED(cudaGraphExecNodeSetParams)
SMUX_CPU_UNSUPPORTED(cudaGraphExecGetFlags)
SMUX_CPU_UNSUPPORTED(cudaGraphDebugDotPrint)
SMUX_CPU_UNSUPPORTED(cudaGraphConditionalHandleCreate)
SMUX_CPU_UNSUPPORTED(cudaGraphSetConditional)
SMUX_CPU_UNSUPPORTED(cudaGraphRetainUserObject)
SMUX_CPU_UNSUPPORTED(cudaGraphReleaseUserObject)
SMUX_CPU_UNSUPPORTED(cudaGraphMemAllocNodeGetParams)
SMUX_CPU_UNSUPPORTED(cudaGraphMemFreeNodeGetParams)
