// Device memory: one reservation of address space from which all allocations come, so that a check is a subtraction
// and a compare. Between any two allocations lie red zones full of canaries. (Builds with AddressSanitizer have
// memory_address.cc instead.)
#ifndef SMUX_CPU_ADDRESS
#include "memory.h"

#include <sys/mman.h>

#include <cstdlib>
#include <deque>

#include "report.h"

namespace smux_cpu {

arena global_arena;

namespace {

constexpr size_t granule = 256;                   // alignment of allocations, as cudaMalloc has it
constexpr size_t device_memory = size_t(16) << 30;
constexpr size_t quarantine_bytes = size_t(1) << 30;
constexpr size_t quarantine_count = 1024;

// Free address space of the arena, by address. Neighbours are joined.
class free_space {
public:
    void give(char *p, size_t bytes) {
        auto after = extents_.lower_bound(p);
        if (after != extents_.end() && p + bytes == after->first) {
            bytes += after->second;
            after = extents_.erase(after);
        }
        if (after != extents_.begin()) {
            auto before = std::prev(after);
            if (before->first + before->second == p) {
                before->second += bytes;
                return;
            }
        }
        extents_[p] = bytes;
    }
    // First fit; null where nothing is large enough.
    char *take(size_t bytes, size_t align) {
        for (auto e = extents_.begin(); e != extents_.end(); ++e) {
            char *begin = e->first, *end = begin + e->second;
            char *p = reinterpret_cast<char *>(up(uintptr_t(begin), align));
            if (p > end || size_t(end - p) < bytes) continue;
            extents_.erase(e);
            if (p > begin) extents_[begin] = size_t(p - begin);
            if (p + bytes < end) extents_[p + bytes] = size_t(end - p - bytes);
            return p;
        }
        return nullptr;
    }
private:
    std::map<char *, size_t> extents_;
};

struct freed_allocation { char *base; size_t bytes, gap; };

struct heap_state {
    free_space space;
    std::deque<freed_allocation> quarantine;  // the longest freed first; their addresses are not in use again
    size_t quarantined = 0, used = 0, gaps = 0;
};

// Made when first asked for and never destroyed: a program's global objects may allocate before this file's would
// exist, and free at the very end.
heap_state &heap() {
    static auto *it = new heap_state;
    return *it;
}

// What an allocation takes of the arena: itself, rounded up, and its red zones. Large ones begin at a page,
// so that their memory can be given back in whole pages.
size_t alignment(size_t bytes) { return bytes >= page ? page : granule; }
constexpr size_t far_apart = size_t(64) << 20;
size_t front(size_t bytes) { return (alignment(bytes) > red_zone ? alignment(bytes) : red_zone) + (measuring_extents() ? far_apart / 4 : 0); }
size_t extent(size_t bytes, size_t gap) { return front(bytes) + up(bytes, granule) + red_zone + gap; }

// Behind each allocation lies address space of nobody, as long as there is much of it: a subscript that is far off should
// not hit another array, where it would be taken for one of that.
constexpr size_t most_gap = size_t(1) << 20;
size_t gap_behind() {
    if (measuring_extents()) return far_apart;
    return heap().gaps + most_gap <= size_t(global_arena.high - global_arena.low) / 2 ? most_gap : 0;
}

void report_extent(const allocation &a) {
    if (a.kind == 0) record("extent").number("offset", (long long)a.number).number("bytes", (long long)a.reached).write();
}

void end_quarantine_of_oldest() {
    freed_allocation f = heap().quarantine.front();
    heap().quarantine.pop_front();
    heap().quarantined -= f.bytes;
    heap().gaps -= f.gap;
    heap().space.give(f.base - front(f.bytes), extent(f.bytes, f.gap));
}

}  // namespace

std::map<char *, allocation> &allocations() {
    static auto *table = new std::map<char *, allocation>;
    return *table;
}

own_mutex &allocations_lock() {
    static auto *lock = new own_mutex;
    return *lock;
}

void reserve_global_arena() {
    if (global_arena.low) return;
    // A hint, so that addresses are the same in every run; whoever limits address space gets a smaller arena.
    void *hint = reinterpret_cast<void *>(sizeof(void *) == 8 ? uintptr_t(0x100000000000) : 0);
    for (size_t bytes = size_t(sizeof(void *) == 8 ? 64 : 1) << 30; bytes >= size_t(1) << 28; bytes /= 2) {
        void *p = mmap(hint, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (p == MAP_FAILED) continue;
        global_arena = {static_cast<char *>(p), static_cast<char *>(p) + bytes};
        heap().space.give(global_arena.low + page, bytes - page);
        return;
    }
    smux_cpu_not_supported("no address space for device memory");
}

allocation *allocation_below(const void *p) {
    auto after = allocations().upper_bound(const_cast<char *>(static_cast<const char *>(p)));
    return after == allocations().begin() ? nullptr : &std::prev(after)->second;
}

bool measuring_extents() {
    static const bool measuring = getenv("SMUX_EXTENTS") != nullptr;
    return measuring;
}

bool note_extent(const void *p, size_t bytes) {
    const char *c = static_cast<const char *>(p);
    allocation *a = allocation_below(p);
    if (!a || size_t(c - a->base) > up(a->bytes, granule) + far_apart / 2) return false;
    const size_t end = size_t(c - a->base) + bytes;
    if (end > a->reached) a->reached = end;
    return true;
}

void report_extents() {
    each_allocation([](allocation &a) { report_extent(a); });
}

size_t freed_around(const void *p, char **base) {
    const char *c = static_cast<const char *>(p);
    for (const freed_allocation &f : heap().quarantine)
        if (c >= f.base && c < f.base + f.bytes) return *base = f.base, f.bytes;
    return 0;
}

}  // namespace smux_cpu

using namespace smux_cpu;

void *smux_cpu_allocate(size_t bytes, int kind) {
    std::lock_guard<own_mutex> mine(allocations_lock());
    reserve_global_arena();
    if (bytes > device_memory || heap().used + bytes > device_memory) return nullptr;
    const size_t gap = gap_behind();
    size_t need = extent(bytes, gap);
    char *begin = heap().space.take(need, alignment(bytes));
    while (!begin && !heap().quarantine.empty()) {
        end_quarantine_of_oldest();
        begin = heap().space.take(need, alignment(bytes));
    }
    if (!begin) return nullptr;
    static size_t number;
    allocation a = {begin + front(bytes), bytes, kind, 0, false, false, number++, 0, gap, 0, {}};
    heap().gaps += gap;
    a.mapped = fill_fresh(a.base, bytes, kind);
    a.depth = backtrace(a.made, int(sizeof a.made / sizeof *a.made));
    if (!measuring_extents()) plant_canaries(a);
    heap().used += bytes;
    allocations()[a.base] = a;
    check::allocated(a.base, bytes, kind);
    return a.base;
}

bool smux_cpu_free(void *p) {
    std::lock_guard<own_mutex> mine(allocations_lock());
    auto found = allocations().find(static_cast<char *>(p));
    if (found == allocations().end()) return false;
    allocation a = found->second;
    if (measuring_extents()) report_extent(a);
    else check_canary(a, "when it was freed");
    check::freed(a.base, a.bytes);
    forget_pages(a.base, a.bytes, a.mapped);
    heap().used -= a.bytes;
    allocations().erase(found);
    heap().quarantine.push_back({a.base, a.bytes, a.gap});
    heap().quarantined += a.bytes;
    while (heap().quarantined > quarantine_bytes || heap().quarantine.size() > quarantine_count) end_quarantine_of_oldest();
    return true;
}

bool smux_cpu_find_allocation(const void *p, void **base, size_t *bytes, int *kind) {
    const char *c = static_cast<const char *>(p);
    if (c < global_arena.low || c >= global_arena.high) return false;
    std::lock_guard<own_mutex> mine(allocations_lock());
    const allocation *a = allocation_below(p);
    if (!a || (c >= a->base + a->bytes && c != a->base)) return false;
    if (base) *base = a->base;
    if (bytes) *bytes = a->bytes;
    if (kind) *kind = a->kind;
    return true;
}

size_t smux_cpu_allocated() { return heap().used; }
#endif
