// Streams. Work is done when it is given, in the order of the calls; what a stream orders, and what not, matters to the
// check for races.
// Modelled: Streams, events, host functions, pinned and managed memory | what they order | `cudaHostRegister`
#pragma once
#include "smux_cpu/host_abi.h"

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t *stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *flags);
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority);

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags = 0);

// Host functions in a stream run before the call returns.
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *data, unsigned flags);
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data);

// Where managed memory may be used from. No restriction is enforced.
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *p, size_t bytes = 0, unsigned flags = cudaMemAttachSingle);

// Hints to the hardware. They are accepted, and forgotten.
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID attribute, const cudaStreamAttrValue *value);
cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID attribute, cudaStreamAttrValue *value);
cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from);
cudaError_t cudaCtxResetPersistingL2Cache();

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph);
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus *status);

}  // extern "C"

template <class T> cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, T *p, size_t bytes = 0, unsigned flags = cudaMemAttachSingle) {
    return ::cudaStreamAttachMemAsync(stream, (void *)p, bytes, flags);
}

// Both inline, so that what is logged carries the place of the call. A program that polls instead of waiting
// reads managed memory after it polled.
SMUX_CPU_INLINE cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    const cudaError_t error = smux_cpu_wait_for_stream(stream);
    if (error == cudaSuccess) smux_cpu_log_managed();
    return error;
}
SMUX_CPU_INLINE cudaError_t cudaStreamQuery(cudaStream_t stream) { return cudaStreamSynchronize(stream); }
