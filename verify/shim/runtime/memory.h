// Inside the runtime: device memory as a table of allocations.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

#include "engine.h"

namespace smux_cpu {

struct allocation {
    char *base;
    size_t bytes;           // as asked for
    int kind;               // 0 device, 1 managed, 2 pinned host
    uint64_t fingerprint;   // of its content when it was last logged (copies.cc)
    bool damaged;           // a write out of its bounds has been reported
    bool mapped;            // its pages come from the poison file (fill.cc)
    size_t number;          // in the order of the calls that made them
    size_t reached;         // where accesses to it end, see measuring_extents
    size_t gap;             // address space behind it that belongs to nobody
    int depth;              // the call stack that made it
    uintptr_t made[16];
    size_t pitch = 0, width = 0;  // where it has rows: bytes from one to the next, and those of them that are meant
    uint64_t when = 0;            // the operation of a stream that made it, as a mark of the checker, and
    unsigned era = 0;             // its era
    bool of_kernel = false;       // malloc in a kernel made it,
    bool ended = false;           // and free has ended it; its place stays taken, for nothing orders the two
};

// The live ones by address. Host threads may allocate at the same time: hold the lock.
std::map<char *, allocation> &allocations();
own_mutex &allocations_lock();

template <class F> void each_allocation(F &&f) {
    std::lock_guard<own_mutex> mine(allocations_lock());
    for (auto &entry : allocations()) f(entry.second);
}

// The live allocation next below or around p, null where there is none; without the lock, for findings.
allocation *allocation_below(const void *p);
// Was p inside an allocation that was freed not long ago? Its size, or 0.
size_t freed_around(const void *p, char **base);

// In a run that measures how large each array must be (SMUX_EXTENTS): allocations lie so far apart that an access past
// an end can be told to belong to the one before it, and is no finding; what lies there reads as zero. How far each was
// accessed is reported when it is freed, or at the end.
bool measuring_extents();
bool note_extent(const void *p, size_t bytes);  // false where no allocation is near: a negative subscript, above all
void report_extents();

// Reserves the global arena if that has not been done.
void reserve_global_arena();

// Every allocation has this much on both sides, at least, filled with canaries.
constexpr size_t red_zone = 256;
// They are NaNs to each floating-point type, so that what is computed from a read past an end shows, and no small integer.
inline unsigned char canary_at(const char *p) { return uintptr_t(p) % 2 ? 0xff : 0xf7; }
inline void fill_canaries(char *p, size_t bytes) {
    for (char *end = p + bytes; p < end; p++) *p = char(canary_at(p));
}
void plant_canaries(const allocation &a);
void check_canary(allocation &a, const char *when);

// Gives fresh memory its content: fresh_word() for device memory, zero for the other kinds. Returns true where
// pages come from the poison file; forget_pages must know.
uint32_t fresh_word();  // no memset makes it; SMUX_DEVICE_FILL is a byte to make another one of
bool fill_fresh(char *p, size_t bytes, int kind);
// Gives whole pages inside [p, p + bytes) back to the operating system.
void forget_pages(char *p, size_t bytes, bool mapped);

}  // namespace smux_cpu
