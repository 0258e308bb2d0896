// Streams and events of the runtime API. Everything is done in the order of the calls; what they order is told the checker.
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <set>

#include "check_streams.h"
#include "smux_cpu/event.h"
#include "smux_cpu/host_abi.h"
#include "smux_cpu/stream.h"

struct CUstream_st {
    unsigned flags;
    int priority;
    unsigned queue;
};
struct CUevent_st {
    unsigned flags;
    bool recorded;
    unsigned long long time;  // of event_clock
    smux_cpu::check::operations_done done;
};

namespace {

std::set<cudaStream_t> streams;
std::set<cudaEvent_t> events;

// Nanoseconds: of the virtual clock, or with SMUX_EVENT_CLOCK=processor the time that this thread, which runs the
// kernels, has had the processor. (That of the process is counted in ticks where its time is limited.) The C library's
// clocks are virtual, too.
unsigned long long event_clock() {
    static const char *const kind = getenv("SMUX_EVENT_CLOCK");
    if (!kind || strcmp(kind, "processor") != 0) return smux_cpu_clock();
    timespec now = {};
    if (syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &now) != 0) return smux_cpu_clock();
    return (unsigned long long)now.tv_sec * 1000000000u + (unsigned long long)now.tv_nsec;
}

// The default streams have no object.
bool is_default(cudaStream_t stream) { return !stream || stream == cudaStreamLegacy || stream == cudaStreamPerThread; }
bool is_stream(cudaStream_t stream) { return is_default(stream) || streams.count(stream); }

}  // namespace

using namespace smux_cpu;

unsigned smux_cpu::queue_of(const void *handle) {
    const auto stream = static_cast<cudaStream_t>(const_cast<void *>(handle));
    return stream == cudaStreamPerThread ? check::thread_queue : streams.count(stream) ? stream->queue : check::legacy_queue;
}

extern "C" {

cudaError_t smux_cpu_check_stream(cudaStream_t stream) { return is_stream(stream) ? cudaSuccess : smux_cpu_error(cudaErrorInvalidResourceHandle); }
cudaError_t smux_cpu_check_event(cudaEvent_t event) { return events.count(event) ? cudaSuccess : smux_cpu_error(cudaErrorInvalidResourceHandle); }

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority) {
    if (!stream || flags > cudaStreamNonBlocking) return smux_cpu_error(cudaErrorInvalidValue);
    *stream = new CUstream_st{flags, priority, check::new_queue(flags != cudaStreamNonBlocking)};
    streams.insert(*stream);
    return cudaSuccess;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) { return cudaStreamCreateWithPriority(stream, flags, 0); }
cudaError_t cudaStreamCreate(cudaStream_t *stream) { return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0); }

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    if (!streams.erase(stream)) return smux_cpu_error(cudaErrorInvalidResourceHandle);
    delete stream;
    return cudaSuccess;
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *flags) {
    if (const cudaError_t error = smux_cpu_check_stream(stream)) return error;
    *flags = is_default(stream) ? cudaStreamDefault : stream->flags;
    return cudaSuccess;
}
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority) {
    if (const cudaError_t error = smux_cpu_check_stream(stream)) return error;
    *priority = is_default(stream) ? 0 : stream->priority;
    return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
    if (const cudaError_t error = smux_cpu_check_stream(stream)) return error;
    if (const cudaError_t error = smux_cpu_check_event(event)) return error;
    check::queue_waits(queue_of(stream), event->done);
    return cudaSuccess;
}

cudaError_t smux_cpu_wait_for_stream(cudaStream_t stream) {
    const cudaError_t error = smux_cpu_check_stream(stream);
    if (error == cudaSuccess) check::host_waits(check::done_by(queue_of(stream)));
    return error;
}
cudaError_t smux_cpu_wait_for_event(cudaEvent_t event) {
    const cudaError_t error = smux_cpu_check_event(event);
    if (error == cudaSuccess) check::host_waits(event->done);
    return error;
}
void smux_cpu_wait_for_all() { check::host_waits_for_all(); }

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *data, unsigned flags) {
    if (const cudaError_t error = smux_cpu_check_stream(stream)) return error;
    if (!callback || flags) return smux_cpu_error(cudaErrorInvalidValue);
    check::host_runs_in(queue_of(stream), [&] { callback(stream, cudaSuccess, data); });
    return cudaSuccess;
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data) {
    if (const cudaError_t error = smux_cpu_check_stream(stream)) return error;
    if (!function) return smux_cpu_error(cudaErrorInvalidValue);
    check::host_runs_in(queue_of(stream), [&] { function(data); });
    return cudaSuccess;
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *p, size_t, unsigned) {
    if (const cudaError_t error = smux_cpu_check_stream(stream)) return error;
    return p ? cudaSuccess : smux_cpu_error(cudaErrorInvalidValue);
}
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID, const cudaStreamAttrValue *) { return smux_cpu_check_stream(stream); }
cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID, cudaStreamAttrValue *value) {
    *value = {};
    return smux_cpu_check_stream(stream);
}
cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
    if (const cudaError_t error = smux_cpu_check_stream(to)) return error;
    return smux_cpu_check_stream(from);
}
cudaError_t cudaCtxResetPersistingL2Cache() { return cudaSuccess; }

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus *status) {
    *status = cudaStreamCaptureStatusNone;
    return smux_cpu_check_stream(stream);
}

// ---- events

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
    if (!event || flags > (cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess)) return smux_cpu_error(cudaErrorInvalidValue);
    *event = new CUevent_st{flags, false, 0, {}};
    events.insert(*event);
    return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t *event) { return cudaEventCreateWithFlags(event, cudaEventDefault); }

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    if (!events.erase(event)) return smux_cpu_error(cudaErrorInvalidResourceHandle);
    delete event;
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    if (const cudaError_t error = smux_cpu_check_stream(stream)) return error;
    if (const cudaError_t error = smux_cpu_check_event(event)) return error;
    event->recorded = true;
    event->time = event_clock();
    event->done = check::done_by(queue_of(stream));
    return cudaSuccess;
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned) { return cudaEventRecord(event, stream); }

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t begin, cudaEvent_t end) {
    if (!milliseconds) return smux_cpu_error(cudaErrorInvalidValue);
    if (const cudaError_t error = smux_cpu_check_event(begin)) return error;
    if (const cudaError_t error = smux_cpu_check_event(end)) return error;
    const bool timed = begin->recorded && end->recorded && !((begin->flags | end->flags) & cudaEventDisableTiming);
    if (!timed) return smux_cpu_error(cudaErrorInvalidResourceHandle);
    for (cudaEvent_t e : {begin, end}) check::host_waits(e->done);
    *milliseconds = float((double(end->time) - double(begin->time)) * 1e-6);
    return cudaSuccess;
}

}  // extern "C"
