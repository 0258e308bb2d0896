// The copy log: what host code gets to see of device data, in order, for the comparison of two programs. Its form is
// one record after the other, little-endian, as `record` below.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "engine.h"
#include "explore_state.h"
#include "memory.h"
#include "smux_cpu/element.h"
#include "smux_cpu/host_abi.h"

namespace smux_cpu {
namespace {

struct head {
    uint32_t magic, what, type, flags;
    uint64_t sequence, bytes, pc, hash, stored;  // `stored` bytes of data follow
};
static_assert(sizeof(head) == 56, "the log has no padding");
constexpr uint32_t magic = 0x43585553;  // "SUXC"
constexpr uint32_t of_several_threads = 2;  // the host's, so that it may come elsewhere in another run

struct log {
    FILE *file = nullptr;
    uint64_t sequence = 0, budget = uint64_t(1) << 30, all = 0;
    own_mutex one_host_thread;
    log() {
        const char *path = getenv("SMUX_COPIES"), *limit = getenv("SMUX_COPY_BYTES");
        if (!path || !*path) return;
        file = fopen(path, "wbe");
        if (!file) fprintf(stderr, "smux: can't open the copy log %s\n", path);
        if (limit && *limit) budget = strtoull(limit, nullptr, 10);
    }
    // Not in a destructor: the program's own exit handlers may still copy. Each record is flushed instead.
    void add(int what, const void *data, size_t bytes, element type, uintptr_t pc) {
        const auto *p = static_cast<const unsigned char *>(data);
        uint64_t hash = 14695981039346656037u;  // FNV-1a
        for (size_t i = 0; i < bytes; i++) hash = (hash ^ p[i]) * 1099511628211u;
        std::lock_guard<own_mutex> whole_records(one_host_thread);
        all = (all ^ hash) * 1099511628211u;
        uint64_t stored = bytes < budget ? bytes : budget;
        budget -= stored;
        head h = {magic, uint32_t(what), uint32_t(type), host_makes_threads ? of_several_threads : 0, sequence++, bytes, pc, hash, stored};
        fwrite(&h, sizeof h, 1, file);
        fwrite(data, 1, stored, file);
        fflush(file);
    }
};

log &the_log() {
    static log l;
    return l;
}

}  // namespace

uint64_t copied_so_far() { return the_log().all; }

void note_result(const void *host, size_t bytes, element type) {
    if (the_log().file) the_log().add(1, host, bytes, type, uintptr_t(host));
}

}  // namespace smux_cpu

using namespace smux_cpu;

// With SMUX_OTHER_COPIES the host gets other values than the device has: a program whose output stays the same then
// shows nothing of them.
static void change(void *host, size_t bytes) {
    static const bool wanted = getenv("SMUX_OTHER_COPIES") != nullptr;
    if (!wanted) return;
    for (size_t i = 0; i < bytes; i++) static_cast<unsigned char *>(host)[i] += 0x43;  // no value comes back, however often it is copied, and no 0 prints as 0.000
}

static void log_copy(int what, const void *host, size_t bytes, element type, const void *return_address) {
    if (host) change(const_cast<void *>(host), bytes);
    if (!the_log().file || !host) return;
    the_log().add(what, host, bytes, type, relative_pc(return_address));
}

void smux_cpu_log_copy(int what, const void *host, size_t bytes, element type) {
    log_copy(what, host, bytes, type, __builtin_return_address(0));
}

cudaError_t smux_cpu_copy_line(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, element type, int what) {
    const layout target{to, bytes, bytes}, source{const_cast<void *>(from), bytes, bytes};
    const extent size{bytes};
    const int result = smux_cpu_copy(&target, &source, &size, kind);
    if (result != copied_to_host) return cudaError_t(result);
    if (type != unlogged) log_copy(what, to, bytes, type, __builtin_return_address(0));
    return cudaSuccess;
}

// Host code can look at managed and pinned memory whenever it has waited for the device. Only what has changed since
// the last time is logged, and nothing before the first launch: until then it is the host's own data.
void smux_cpu_log_managed() {
    if (!the_log().file || total.launches == 0) return;
    uintptr_t pc = relative_pc(__builtin_return_address(0));
    each_allocation([pc](allocation &a) {
        if (a.kind == 0 || a.bytes == 0) return;
        uint64_t f = fingerprint(a.base, a.bytes);
        if (f == a.fingerprint) return;
        a.fingerprint = f;
        the_log().add(3, a.base, a.bytes, element::bytes, pc);
    });
}
