// Events. An event that is recorded has happened. Times are virtual (smux_cpu_clock), the same in every run:
// they tell nothing about how long anything takes, but are above zero. (SMUX_EVENT_CLOCK=processor changes that.)
#pragma once
#include "smux_cpu/host_abi.h"

extern "C" {

cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr);
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream = nullptr, unsigned flags = 0);
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t begin, cudaEvent_t end);

}  // extern "C"

inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned flags) { return cudaEventCreateWithFlags(event, flags); }

SMUX_CPU_INLINE cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    const cudaError_t error = smux_cpu_wait_for_event(event);
    if (error == cudaSuccess) smux_cpu_log_managed();
    return error;
}
SMUX_CPU_INLINE cudaError_t cudaEventQuery(cudaEvent_t event) { return cudaEventSynchronize(event); }
