// Inside the checker: does an access lie inside an allocation, or a shared variable? The quick answer, for every
// access of a kernel; the report of a bad one is in check_bounds.cc.
// Modelled: Bounds | allocations, `malloc` in kernels, shared variables, first subscripts of other arrays | pointers into local arrays, rows into rows (`--asan`), `new` in kernels
#pragma once
#include <algorithm>
#include <cstdint>

#include "check.h"
#include "check_quick.h"

namespace smux_cpu {
namespace check {

// Allocations begin at multiples of 256 bytes: so for each such granule a number says all, how many of its bytes
// belong to an allocation, from its first one on.
extern uint16_t *valid_bytes;
// The same for words of shared memory: 1 + number of bytes that belong to a variable; 0 where nobody has asked yet.
// The dynamic array is not in it: its length changes from launch to launch.
extern uint8_t *valid_of_word;
extern const shared_variable *dynamic_array;
void begin_bounds();         // after the global arena
void begin_shared_bounds();  // after the shared arena
bool ask_shared(size_t word_number);

void out_of_bounds(const void *p, size_t bytes, bool write, uint32_t pc, space where);

inline bool inside_allocation(const void *p, size_t bytes) {
    size_t at = size_t(static_cast<const char *>(p) - global_arena.low), first = at % granule;
    if (first + bytes <= valid_bytes[at / granule]) return true;
    // Across granules: all but the last must be full.
    size_t end = at + bytes;
    for (size_t g = at / granule; g * granule < end; g++) {
        size_t upto = end - g * granule < granule ? end - g * granule : granule;
        if (valid_bytes[g] < upto) return false;
    }
    return true;
}

inline bool inside_shared_variable(const void *p, size_t bytes) {
    size_t of_dynamic = size_t(static_cast<const char *>(p) - dynamic_array->base);
    if (of_dynamic < dynamic_array->bytes) return bytes <= dynamic_array->bytes - of_dynamic;
    size_t at = size_t(static_cast<const char *>(p) - shared_arena.low), end = at + bytes;
    for (size_t w = at / 4; w * 4 < end; w++) {
        if (valid_of_word[w] == 0 && !ask_shared(w)) return false;
        if (std::min<size_t>(4, end - w * 4) > valid_of_word[w] - 1u) return false;
    }
    return true;
}

// How much of an access that begins here belongs to the variable that it begins in; 0 where it begins in none.
size_t inner_bytes(const void *p);

}  // namespace check
}  // namespace smux_cpu
