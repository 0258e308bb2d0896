#include "shared.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "smux_cpu/device_limits.h"

#ifdef SMUX_CPU_ADDRESS
extern "C" void __asan_poison_memory_region(const volatile void *, size_t);
extern "C" void __asan_unpoison_memory_region(const volatile void *, size_t);
#endif

unsigned long smux_cpu_epoch = 1;

namespace smux_cpu {

arena shared_arena;

namespace {

// All kernels of a program together.
constexpr size_t most_declared = size_t(64) << 20;
constexpr size_t dynamic_room = (device::shared_per_block_most + page - 1) / page * page;
constexpr size_t spacing = 256, padding = 64;

unsigned long epochs = 1;  // the last one given out
char *unused;              // the low end of what no variable has yet
size_t accessible;         // bytes of dynamic_room that can be accessed
shared_variable dynamic = {nullptr, 0, "dynamic shared memory", nullptr, 0, 0};

std::vector<shared_variable *> &variables() {
    static auto &list = *new std::vector<shared_variable *>;
    return list;
}

std::vector<shared_variable *> &entered() {
    static auto &list = *new std::vector<shared_variable *>;
    return list;
}

// Variables of namespace scope: their declarations run before main, not in each block.
std::vector<shared_variable *> &global() {
    static auto &list = *new std::vector<shared_variable *>;
    return list;
}

#ifdef SMUX_CPU_ADDRESS
void allow(const void *p, size_t bytes) { __asan_unpoison_memory_region(p, bytes); }
void forbid(const void *p, size_t bytes) { __asan_poison_memory_region(p, bytes); }
#else
void allow(const void *, size_t) {}
void forbid(const void *, size_t) {}
#endif

// Namespace-scope declarations ask for addresses before main, in any order; so this comes with the first of them.
void reserve_shared_arena() {
    if (shared_arena.low) return;
    size_t bytes = most_declared + page + dynamic_room + page;
    // The hint keeps addresses the same from run to run; where it can't be had, any others do.
    void *hint = reinterpret_cast<void *>(sizeof(void *) == 8 ? uintptr_t(0x210000000000) : 0);
    void *p = mmap(hint, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) smux_cpu_not_supported("no address space for shared memory");
    char *low = static_cast<char *>(p);
    dynamic.base = low + most_declared + page;
    mprotect(dynamic.base - page, bytes - most_declared, PROT_NONE);
    unused = low + spacing;
    memset(low, shared_fill(), spacing);
    shared_arena = {low, dynamic.base + dynamic_room};
    forbid(low, most_declared);
}

}  // namespace

// SMUX_SHARED_FILL is another one: an output that changes with it is made of memory that nobody wrote.
unsigned char shared_fill() {
    static const unsigned char fill = [] {
        const char *s = getenv("SMUX_SHARED_FILL");
        return s && *s ? (unsigned char)strtoul(s, nullptr, 0) : (unsigned char)0xcb;
    }();
    return fill;
}

void size_dynamic_shared(size_t bytes) {
    reserve_shared_arena();
    dynamic.bytes = bytes;
    size_t want = up(bytes, size_t(sysconf(_SC_PAGESIZE)));
    if (want != accessible) {  // pages past the end of this launch's array are a guard
        mprotect(dynamic.base, dynamic_room, PROT_NONE);
        if (want) mprotect(dynamic.base, want, PROT_READ | PROT_WRITE);
        accessible = want;
    }
    allow(dynamic.base, accessible);
    memset(dynamic.base, shared_fill(), accessible);
    forbid(dynamic.base + bytes, accessible - bytes);
}

void begin_shared() {
    smux_cpu_epoch = ++epochs;
    entered().clear();
    if (dynamic.bytes) smux_cpu_shared_enter(&dynamic);
    for (shared_variable *v : global()) smux_cpu_shared_enter(v);
}

size_t declared_shared() {
    size_t bytes = 0;
    for (const shared_variable *v : entered())
        if (v != &dynamic && std::find(global().begin(), global().end(), v) == global().end()) bytes += v->bytes;
    return bytes;
}

shared_contents save_shared() {
    shared_contents saved;
    saved.epoch = smux_cpu_epoch;
    for (shared_variable *v : entered()) saved.entries.push_back({v, {v->base, v->base + v->bytes}});
    return saved;
}

void restore_shared(const shared_contents &saved) {
    smux_cpu_epoch = saved.epoch;
    entered().clear();
    for (const shared_contents::entry &e : saved.entries) {
        e.variable->epoch = saved.epoch;
        memcpy(e.variable->base, e.bytes.data(), e.bytes.size());
        entered().push_back(e.variable);
    }
}

bool is_shared_memory(const char *p) {
    return (p >= shared_arena.low && p < shared_arena.low + most_declared) || (p >= dynamic.base && p < dynamic.base + accessible);
}

size_t shared_variables() { return variables().size() + 1; }

const shared_variable &shared_variable_number(size_t i) { return i == 0 ? dynamic : *variables()[i - 1]; }

const shared_variable *shared_variable_at(const void *p) {
    const char *c = static_cast<const char *>(p);
    if (c >= dynamic.base) return c < dynamic.base + dynamic.bytes ? &dynamic : nullptr;
    const std::vector<shared_variable *> &list = variables();  // by address
    auto after = std::upper_bound(list.begin(), list.end(), c,
                                  [](const char *at, const shared_variable *v) { return at < v->base; });
    if (after == list.begin()) return nullptr;
    const shared_variable *v = *(after - 1);
    return c < v->base + v->bytes ? v : nullptr;
}

}  // namespace smux_cpu

using namespace smux_cpu;

shared_variable *smux_cpu_shared_register(const char *name, size_t bytes, size_t align, const char *file, int line) {
    reserve_shared_arena();
    char *base = reinterpret_cast<char *>(up(uintptr_t(unused), std::max(align, spacing)));
    char *end = base + up(bytes + padding, spacing);
    if (end > shared_arena.low + most_declared) smux_cpu_not_supported("more than 64 MB of shared variables");
    allow(unused, size_t(end - unused));
    memset(unused, shared_fill(), size_t(end - unused));
    forbid(unused, size_t(end - unused));
    allow(base, bytes);
    unused = end;
    auto *v = new shared_variable{base, bytes, name, file, line, 0};
    variables().push_back(v);
    if (!smux_cpu_in_kernel) global().push_back(v);
    return v;
}

void smux_cpu_shared_enter(shared_variable *v) {
    v->epoch = smux_cpu_epoch;
    memset(v->base, shared_fill(), v->bytes);
    entered().push_back(v);
    check::shared_entered(v);
}

void *smux_cpu_dynamic_shared() {
    reserve_shared_arena();
    return dynamic.base;
}

size_t smux_cpu_dynamic_shared_bytes() { return dynamic.bytes; }
