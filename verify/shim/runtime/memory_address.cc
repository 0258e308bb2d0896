// Device memory in builds with AddressSanitizer: each allocation is one of the C library's, so that its red zones and
// its quarantine do what canaries and bounds checks do elsewhere.
#ifdef SMUX_CPU_ADDRESS
#include <cstdlib>
#include <cstring>
#include <deque>

#include "memory.h"
#include "report.h"

namespace smux_cpu {

bool measuring_extents() { return false; }
bool note_extent(const void *, size_t) { return false; }
void report_extents() {}

arena global_arena;  // empty: nothing lies in it

namespace {
constexpr size_t device_memory = size_t(16) << 30;
constexpr size_t most_remembered = 1024;
size_t used;

// What was freed lately, the last one first: an address may have been that of several.
struct freed_allocation { char *base; size_t bytes; };
std::deque<freed_allocation> &freed() {
    static auto &list = *new std::deque<freed_allocation>;
    return list;
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

void reserve_global_arena() {}

allocation *allocation_below(const void *p) {
    auto after = allocations().upper_bound(const_cast<char *>(static_cast<const char *>(p)));
    return after == allocations().begin() ? nullptr : &std::prev(after)->second;
}

// The sanitizer keeps freed memory back for a while, so that an address in it is not soon another allocation's.
size_t freed_around(const void *p, char **base) {
    const char *c = static_cast<const char *>(p);
    for (const freed_allocation &f : freed())
        if (c >= f.base && c < f.base + f.bytes) return *base = f.base, f.bytes;
    return 0;
}

}  // namespace smux_cpu

using namespace smux_cpu;

void *smux_cpu_allocate(size_t bytes, int kind) {
    std::lock_guard<own_mutex> mine(allocations_lock());
    if (bytes > device_memory || used + bytes > device_memory) return nullptr;
    void *p = nullptr;
    if (posix_memalign(&p, 256, bytes ? bytes : 1) != 0) return nullptr;
    memset(p, kind == 0 ? int(fresh_word() & 0xff) : 0, bytes);
    used += bytes;
    allocation a = {static_cast<char *>(p), bytes, kind, 0, false, false, 0, {}};
    a.depth = backtrace(a.made, int(sizeof a.made / sizeof *a.made));
    allocations()[a.base] = a;
    return p;
}

bool smux_cpu_free(void *p) {
    std::lock_guard<own_mutex> mine(allocations_lock());
    auto found = allocations().find(static_cast<char *>(p));
    if (found == allocations().end()) return false;
    used -= found->second.bytes;
    freed().push_front({found->second.base, found->second.bytes});
    if (freed().size() > most_remembered) freed().pop_back();
    allocations().erase(found);
    free(p);
    return true;
}

bool smux_cpu_find_allocation(const void *p, void **base, size_t *bytes, int *kind) {
    std::lock_guard<own_mutex> mine(allocations_lock());
    const allocation *a = allocation_below(p);
    const char *c = static_cast<const char *>(p);
    if (!a || (c >= a->base + a->bytes && c != a->base)) return false;
    if (base) *base = a->base;
    if (bytes) *bytes = a->bytes;
    if (kind) *kind = a->kind;
    return true;
}

size_t smux_cpu_allocated() { return used; }
#endif
