// Copies and fills by the runtime API: what may be copied where.
#include <algorithm>
#include <cstring>
#include <mutex>
#include <set>

#include "check_streams.h"
#include "engine.h"
#include "memory.h"
#include "neighbour.h"
#include "report.h"
#include "smux_cpu/copy.h"
#include "smux_cpu/memory.h"

// The program's own variables, by the linker. Device variables are among them.
extern "C" char __data_start[], _end[];

namespace smux_cpu {
namespace {

size_t bytes_spanned(const layout &l, const extent &size) { return (size.depth - 1) * l.slice + (size.height - 1) * l.pitch + size.width; }

// Where bytes are.
struct place {
    bool leaves;     // they begin in an allocation and end outside it
    bool on_device;  // in device or managed memory
    bool reachable;  // kernels can use them: allocated, registered, or a variable of the program
};

place place_of(const void *p, size_t bytes) {
    void *base;
    size_t all;
    int kind;
    if (smux_cpu_find_allocation(p, &base, &all, &kind)) return {bytes > all - size_t(static_cast<const char *>(p) - static_cast<char *>(base)), kind != 2, true};
    const char *c = static_cast<const char *>(p);
    if (c >= __data_start && c < _end) return {false, false, true};
    cudaPointerAttributes attributes;
    cudaPointerGetAttributes(&attributes, p);
    return {false, false, attributes.type != cudaMemoryTypeUnregistered};
}

// The stream of the next copy or fill, and whether it is asynchronous.
struct in_stream {
    const void *stream = nullptr;
    bool asynchronous = false;
} given;

void move(const layout &to, const layout &from, const extent &size, bool remember) {
    for (size_t z = 0; z < size.depth; z++)
        for (size_t y = 0; y < size.height; y++) {
            char *row = static_cast<char *>(to.base) + z * to.slice + y * to.pitch;
            check::operation_access(static_cast<char *>(from.base) + z * from.slice + y * from.pitch, size.width, false, remember);
            check::operation_access(row, size.width, true, remember);
            memmove(row, static_cast<char *>(from.base) + z * from.slice + y * from.pitch, size.width);
            check::host_wrote(row, size.width);
        }
}

// Reports whether no call stack has brought this record before.
bool is_first(record &r) {
    static auto &known = *new std::set<std::string>;
    static own_mutex one_host_thread;
    std::lock_guard<own_mutex> mine(one_host_thread);
    return known.insert(r.here().json()).second;
}

// A copy to the host of what nobody has written. Words count as a whole.
void report_unwritten(const layout &from, const extent &size) {
    size_t words = 0, first = 0;
    for (size_t z = 0; z < size.depth; z++)
        for (size_t y = 0; y < size.height; y++) {
            const char *row = static_cast<const char *>(from.base) + z * from.slice + y * from.pitch;
            for (const char *p = row + (4 - uintptr_t(row) % 4) % 4; p + 4 <= row + size.width; p += 4)
                if (smux_cpu_is_fresh(p, 4) && !words++) first = size_t(p - static_cast<const char *>(from.base));
        }
    record r("unwritten");
    if (!words || !is_first(r)) return;
    const std::string of = std::to_string(size.width * size.height * size.depth);
    r.text("text", std::to_string(4 * words) + " of " + of + " bytes, from byte " + std::to_string(first) + " on").write();
}

// A copy or fill that a GPU refuses: of an allocation that is no longer one, past the end of one, or of host memory in the place of the device's.
void report_refused(const void *p, size_t bytes, bool write, bool of_device) {
    void *base;
    size_t all;
    const char *c = static_cast<const char *>(p);
    char *freed;
    const place where = place_of(p, bytes);
    const bool was_freed = freed_around(c, &freed) && !smux_cpu_find_allocation(p, nullptr, nullptr, nullptr);
    const bool outside = was_freed || where.leaves;
    if (!outside && (where.reachable || !of_device)) return;
    record r(outside ? "out-of-bounds" : "illegal-address");
    const size_t most = ~size_t(0) >> 1;  // a negative number is one that is too large
    r.flag("write", write).number("bytes", (long long)std::min(bytes, most)).text("space", outside ? "global" : "host");
    if (!is_first(r)) return;
    if (was_freed) describe_by_allocation(r, c);
    else if (smux_cpu_find_allocation(p, &base, &all, nullptr)) describe_by_allocation(r, static_cast<char *>(base) + all);
    else r.text("text", "the call says that it is device memory");
    r.write();
}

cudaError_t fill(void *p, size_t pitch, size_t slice, int value, const extent &size, in_stream of = {}) {
    if (size.width == 0 || size.height == 0 || size.depth == 0) return cudaSuccess;
    if (!p || size.width > pitch) return smux_cpu_error(cudaErrorInvalidValue);
    const place where = place_of(p, bytes_spanned({p, pitch, slice}, size));
    report_refused(p, bytes_spanned({p, pitch, slice}, size), true, true);
    if (where.leaves || !where.reachable) return smux_cpu_error(cudaErrorInvalidValue);
    const turn mine;
    const unsigned queue = queue_of(of.stream);
    check::begin_operation(queue, "a fill", false);
    for (size_t z = 0; z < size.depth; z++)
        for (size_t y = 0; y < size.height; y++) {
            char *row = static_cast<char *>(p) + z * slice + y * pitch;
            check::operation_access(row, size.width, true, true);
            memset(row, value, size.width);
            check::host_wrote(row, size.width);
        }
    if (!of.asynchronous && !where.on_device) check::host_waits(check::done_by(queue));
    return cudaSuccess;
}

}  // namespace
}  // namespace smux_cpu

using namespace smux_cpu;

extern "C" {

void smux_cpu_in_stream(cudaStream_t stream) { given = {stream, true}; }

int smux_cpu_copy(const layout *to, const layout *from, const extent *size, cudaMemcpyKind kind) {
    const in_stream mine = given;
    given = {};
    if (unsigned(kind) > cudaMemcpyDefault) return smux_cpu_error(cudaErrorInvalidMemcpyDirection);
    if (size->width == 0 || size->height == 0 || size->depth == 0) return cudaSuccess;
    if (!to->base || !from->base) return smux_cpu_error(cudaErrorInvalidValue);

    const place target = place_of(to->base, bytes_spanned(*to, *size)), source = place_of(from->base, bytes_spanned(*from, *size));
    // Device memory where the kind says host is accepted: with unified addresses, the driver finds out.
    const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    report_refused(from->base, bytes_spanned(*from, *size), false, from_device);
    report_refused(to->base, bytes_spanned(*to, *size), true, to_device);
    if (target.leaves || source.leaves || (to_device && !target.reachable) || (from_device && !source.reachable)) return smux_cpu_error(cudaErrorInvalidValue);

    const bool to_host = kind == cudaMemcpyDeviceToHost || (kind == cudaMemcpyDefault && source.on_device && !target.on_device);
    if (to_host && source.on_device) report_unwritten(*from, *size);
    const turn alone;
    const unsigned queue = queue_of(mine.stream);
    check::begin_operation(queue, "a copy", false);
    const bool between = target.on_device && source.on_device;
    move(*to, *from, *size, mine.asynchronous || between);
    // The host waits where the copy is to or from its own memory, and even if it is asynchronous, to what is not pinned.
    if (mine.asynchronous ? !target.reachable : !between) check::host_waits(check::done_by(queue));
    return to_host ? copied_to_host : cudaSuccess;
}

cudaError_t smux_cpu_refused_copy(cudaError_t error, size_t bytes, bool write, const char *why) {
    record r("out-of-bounds");
    r.flag("write", write).number("bytes", (long long)bytes).text("space", "global").text("text", why);
    if (is_first(r)) r.write();
    return smux_cpu_error(error);
}

bool smux_cpu_shows_device_memory(const void *to, const void *from) { return place_of(from, 0).on_device && !place_of(to, 0).on_device; }

cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes) {
    if (to_device != 0 || from_device != 0) return smux_cpu_error(cudaErrorInvalidDevice);
    return cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice);
}
cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes, cudaStream_t stream) {
    if (smux_cpu_captures(stream)) smux_cpu_not_supported("cudaMemcpyPeerAsync while its stream is captured");
    smux_cpu_in_stream(stream);
    return cudaMemcpyPeer(to, to_device, from, from_device, bytes);
}

cudaError_t cudaMemset(void *p, int value, size_t bytes) { return fill(p, bytes, bytes, value, {bytes}); }
cudaError_t cudaMemset2D(void *p, size_t pitch, int value, size_t width, size_t height) { return fill(p, pitch, pitch * height, value, {width, height}); }
cudaError_t cudaMemset3D(cudaPitchedPtr p, int value, cudaExtent e) { return fill(p.ptr, p.pitch, p.pitch * p.ysize, value, {e.width, e.height, e.depth}); }

cudaError_t cudaMemsetAsync(void *p, int value, size_t bytes, cudaStream_t stream) {
    if (captured(stream, cudaGraphNodeTypeMemset, [=] { cudaMemset(p, value, bytes); })) return cudaSuccess;
    return fill(p, bytes, bytes, value, {bytes}, {stream, true});
}
cudaError_t cudaMemset2DAsync(void *p, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream) {
    if (captured(stream, cudaGraphNodeTypeMemset, [=] { cudaMemset2D(p, pitch, value, width, height); })) return cudaSuccess;
    return fill(p, pitch, pitch * height, value, {width, height}, {stream, true});
}
cudaError_t cudaMemset3DAsync(cudaPitchedPtr p, int value, cudaExtent e, cudaStream_t stream) {
    if (captured(stream, cudaGraphNodeTypeMemset, [=] { cudaMemset3D(p, value, e); })) return cudaSuccess;
    return fill(p.ptr, p.pitch, p.pitch * p.ysize, value, {e.width, e.height, e.depth}, {stream, true});
}

}  // extern "C"
