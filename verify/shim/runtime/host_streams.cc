// Streams and events of the runtime API. Everything is done in the order of the calls; what they order is told the checker.
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <set>
#include <vector>

#include "check_streams.h"
#include "host_graphs.h"
#include "smux_cpu/event.h"
#include "smux_cpu/host_abi.h"
#include "smux_cpu/unsupported.h"
#include "smux_cpu/stream.h"

struct CUstream_st {
    unsigned flags;
    int priority;
    unsigned queue;
    // While it is captured: into what; whether the capture began here; the nodes that the next one is after; how much was
    // captured, and how much of it the others wait for.
    cudaGraph_t graph = nullptr;
    bool origin = false;
    std::vector<cudaGraphNode_t> last = {};
    unsigned long works = 0, joined = 0;
};
struct CUevent_st {
    unsigned flags;
    bool recorded;
    unsigned long long time;  // of event_clock
    smux_cpu::check::operations_done done;
    cudaStream_t captured = nullptr;  // recorded while this was captured: its state then
    std::vector<cudaGraphNode_t> last = {};
    unsigned long works = 0;
};

namespace {

std::set<cudaStream_t> streams;
std::set<cudaEvent_t> events;
unsigned captures;  // that have begun and not ended

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

// A stream begins to be captured, or is no longer.
void set_capture(cudaStream_t stream, cudaGraph_t graph, bool origin) {
    stream->graph = graph;
    stream->origin = origin;
    stream->last.clear();
    stream->works = stream->joined = 0;
}

}  // namespace

using namespace smux_cpu;

unsigned smux_cpu::queue_of(const void *handle) {
    const auto stream = static_cast<cudaStream_t>(const_cast<void *>(handle));
    return stream == cudaStreamPerThread ? check::thread_queue() : streams.count(stream) ? stream->queue : check::legacy_queue;
}

extern "C" {

bool smux_cpu_captures(const void *stream) {
    if (!captures) return false;
    auto s = static_cast<cudaStream_t>(const_cast<void *>(stream));
    if (is_default(s)) smux_cpu_not_supported("work in the default stream while another stream is captured");
    return streams.count(s) && s->graph;
}
void smux_cpu_capture(void *stream, int type, smux_cpu::graph_work *work) {
    auto s = static_cast<cudaStream_t>(stream);
    s->last = {s->graph->add(type, std::shared_ptr<smux_cpu::graph_work>(work), s->last)};
    s->works++;
}
cudaError_t smux_cpu_check_wait(cudaStream_t stream) {
    const cudaError_t error = stream ? smux_cpu_check_stream(stream) : cudaSuccess;
    if (error || !captures) return error;
    return is_default(stream) || stream->graph ? smux_cpu_error(cudaErrorStreamCaptureUnsupported) : cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
    if (const cudaError_t error = smux_cpu_check_stream(stream)) return error;
    if (is_default(stream)) {
        if (stream == cudaStreamPerThread) smux_cpu_not_supported("capture of cudaStreamPerThread");
        return smux_cpu_error(cudaErrorStreamCaptureUnsupported);
    }
    if (stream->graph) return smux_cpu_error(cudaErrorIllegalState);
    set_capture(stream, new CUgraph_st, true);
    captures++;
    return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph) {
    if (const cudaError_t error = smux_cpu_check_stream(stream)) return error;
    if (is_default(stream) || !stream->graph || !stream->origin) return smux_cpu_error(cudaErrorIllegalState);
    *graph = stream->graph;
    bool joined = true;
    for (cudaStream_t other : streams) {
        if (other->graph != *graph) continue;
        joined = joined && (other->origin || other->joined == other->works);
        for (cudaEvent_t event : events)
            if (event->captured == other) event->captured = nullptr;
        set_capture(other, nullptr, false);
    }
    captures--;
    if (joined) return cudaSuccess;
    delete *graph;
    *graph = nullptr;
    return smux_cpu_error(cudaErrorStreamCaptureUnjoined);
}

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
    for (cudaEvent_t event : events)
        if (event->captured == stream) event->captured = nullptr;
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
    const cudaStream_t from = event->captured;
    if (!from) return check::queue_waits(queue_of(stream), event->done), cudaSuccess;
    if (is_default(stream)) return smux_cpu_error(cudaErrorStreamCaptureImplicit);
    if (!stream->graph) set_capture(stream, from->graph, false);
    if (stream->graph != from->graph) return smux_cpu_error(cudaErrorStreamCaptureMerge);
    stream->last.insert(stream->last.end(), event->last.begin(), event->last.end());
    stream->works++;
    if (from != stream) from->joined = event->works;
    return cudaSuccess;
}

cudaError_t smux_cpu_wait_for_stream(cudaStream_t stream) {
    const cudaError_t error = smux_cpu_check_wait(stream ? stream : cudaStreamLegacy);
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
    if (smux_cpu_captures(stream)) return smux_cpu_error(cudaErrorStreamCaptureUnsupported);
    check::host_runs_in(queue_of(stream), [&] { callback(stream, cudaSuccess, data); });
    return cudaSuccess;
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data) {
    if (const cudaError_t error = smux_cpu_check_stream(stream)) return error;
    if (!function) return smux_cpu_error(cudaErrorInvalidValue);
    if (!smux_cpu::captured(stream, cudaGraphNodeTypeHost, [=] { check::host_runs_in(check::legacy_queue, [&] { function(data); }); })) check::host_runs_in(queue_of(stream), [&] { function(data); });
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
    if (const cudaError_t error = smux_cpu_check_stream(stream)) return error;
    *status = !is_default(stream) && stream->graph ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
    return cudaSuccess;
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
    event->captured = smux_cpu_captures(stream) ? stream : nullptr;
    if (event->captured) {
        event->last = stream->last;
        event->works = stream->works;
        return cudaSuccess;
    }
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
