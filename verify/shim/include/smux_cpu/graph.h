// Graphs, by nodes or by the capture of streams. A part of unsupported.h, since some of their functions can't be called.
// Modelled: Graphs | captured and by nodes, ordered by their edges | the place where a copy was captured
#pragma once
#include "smux_cpu/copy3d.h"
#include "smux_cpu/types.h"

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

extern "C" {

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned flags);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph);
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, const cudaKernelNodeParams *p);
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, const cudaMemsetParams *p);
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, const cudaHostNodeParams *p);
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count);
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, cudaGraph_t child);
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t count);
cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams *p);
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, const cudaKernelNodeParams *p);
cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, const cudaMemsetParams *p);
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count);
cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count);
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *count);
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType *type);
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags = 0);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec);
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream);
cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream);

cudaError_t smux_cpu_graph_add(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, int type, smux_cpu::graph_work *work);
cudaError_t smux_cpu_graph_change(cudaGraphExec_t exec, cudaGraphNode_t node, smux_cpu::graph_work *work);
cudaError_t smux_cpu_graph_update(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResult *result);

}  // extern "C"

inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags = 0) { return cudaGraphInstantiateWithFlags(exec, graph, flags); }
inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphNode_t *, char *, size_t) { return cudaGraphInstantiateWithFlags(exec, graph); }
inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t *, cudaGraphExecUpdateResult *result) { return smux_cpu_graph_update(exec, graph, result); }
inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *info) {
    *info = {};
    return smux_cpu_graph_update(exec, graph, &info->result);
}
inline cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, const cudaMemcpy3DParms *p) {
    return smux_cpu_graph_add(node, graph, after, count, cudaGraphNodeTypeMemcpy, smux_cpu::new_work([same = *p] { cudaMemcpy3D(&same); }));
}
template <class T, class U>
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, T *to, const U *from, size_t bytes, cudaMemcpyKind kind) {
    return smux_cpu_graph_add(node, graph, after, count, cudaGraphNodeTypeMemcpy, smux_cpu::new_work([=] { cudaMemcpy(to, from, bytes, kind); }));
}
template <class T, class U>
cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, T *to, const U *from, size_t bytes, cudaMemcpyKind kind) {
    return smux_cpu_graph_change(exec, node, smux_cpu::new_work([=] { cudaMemcpy(to, from, bytes, kind); }));
}

SMUX_CPU_UNSUPPORTED(cudaDeviceGraphMemTrim)
SMUX_CPU_UNSUPPORTED(cudaDeviceGetGraphMemAttribute)
SMUX_CPU_UNSUPPORTED(cudaDeviceSetGraphMemAttribute)
SMUX_CPU_UNSUPPORTED(cudaUserObjectCreate)
SMUX_CPU_UNSUPPORTED(cudaUserObjectRelease)
SMUX_CPU_UNSUPPORTED(cudaUserObjectRetain)
SMUX_CPU_UNSUPPORTED(cudaGraphInstantiateWithParams)
SMUX_CPU_UNSUPPORTED(cudaGraphGetEdges)
SMUX_CPU_UNSUPPORTED(cudaGraphAddNode)
SMUX_CPU_UNSUPPORTED(cudaGraphRemoveDependencies)
SMUX_CPU_UNSUPPORTED(cudaGraphDestroyNode)
SMUX_CPU_UNSUPPORTED(cudaGraphAddMemcpyNodeToSymbol)
SMUX_CPU_UNSUPPORTED(cudaGraphAddMemcpyNodeFromSymbol)
SMUX_CPU_UNSUPPORTED(cudaGraphAddEventRecordNode)
SMUX_CPU_UNSUPPORTED(cudaGraphAddEventWaitNode)
SMUX_CPU_UNSUPPORTED(cudaGraphAddMemAllocNode)
SMUX_CPU_UNSUPPORTED(cudaGraphAddMemFreeNode)
SMUX_CPU_UNSUPPORTED(cudaGraphKernelNodeGetParams)
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
SMUX_CPU_UNSUPPORTED(cudaGraphNodeGetDependentNodes)
SMUX_CPU_UNSUPPORTED(cudaGraphNodeFindInClone)
SMUX_CPU_UNSUPPORTED(cudaGraphNodeSetParams)
SMUX_CPU_UNSUPPORTED(cudaGraphNodeGetEnabled)
SMUX_CPU_UNSUPPORTED(cudaGraphNodeSetEnabled)
SMUX_CPU_UNSUPPORTED(cudaGraphExecMemcpyNodeSetParams)
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
