// Inside the checker: one access of a kernel, from the address to the checks that concern it.
#pragma once
#include <cstdint>

#include "async.h"
#include "check_arguments.h"
#include "check_bounds.h"
#include "check_constant.h"
#include "check_race.h"
#include "check_region.h"
#include "check_sync.h"
#include "check_uninitialised.h"

namespace smux_cpu {
namespace check {

void start();  // from __tsan_init: hooks will be called

// As engine.h's relative_pc, for code of the executable, as exactly as marks hold it: inside of the call, too.
inline uint32_t place_of(const void *return_address) { return (uint32_t(uintptr_t(return_address) - place_base) & ~3u) - 1; }

// Calls look(word number, mask of its bytes) for each word that [at, at + bytes) touches.
template <class F> inline __attribute__((always_inline)) void each_word(size_t at, size_t bytes, F &&look) {
    size_t first = at / word, last = (at + bytes - 1) / word;
    if (first == last) {
        look(first, (((1u << bytes) - 1) << at % word) & 15);
        return;
    }
    look(first, (15u << at % word) & 15);
    for (size_t w = first + 1; w < last; w++) look(w, 15);
    look(last, (1u << ((at + bytes - 1) % word + 1)) - 1);
}

inline __attribute__((always_inline)) void shared_access(const void *p, size_t bytes, manner how, uint32_t pc) {
    size_t at = size_t(static_cast<const char *>(p) - shared_arena.low);
    if (__builtin_expect(in_flight_bytes != 0, 0) && checks.race) in_flight_access(p, bytes, how.write, pc);
    if (checks.bounds && !inside_shared_variable(p, bytes)) {
        out_of_bounds(p, bytes, how.write, pc, space::shared);
        if (!(bytes = inner_bytes(p))) return;  // what begins in an array is one of its elements, as far as it goes
    }
    if (checks.uninitialised) {
        if (!how.write || (how.is_strong() && !how.blind)) {
            // Copies of structures read their padding; so only an access to nothing that was written counts.
            unsigned written = 0;
            each_word(at, bytes, [&](size_t w, unsigned) { written |= written_mask(w); });
            if (!written) uninitialised_read(p, bytes, pc, space::shared);
        }
        if (how.write) each_word(at, bytes, [&](size_t w, unsigned mask) { wrote_shared(w, mask); });
    }
    if (regions_matter && checks.region) region_access(p, bytes, how, pc);
    if (checks.race) {
        each_word(at, bytes, [&](size_t w, unsigned mask) __attribute__((always_inline)) {
            check_word<true>(shared_shadow, w, mask, how, pc, p, bytes, space::shared);
        });
        if (how.is_strong()) strong_access(p, how, false);
    }
}

inline __attribute__((always_inline)) void global_access(const void *p, size_t bytes, manner how, uint32_t pc) {
    size_t at = size_t(static_cast<const char *>(p) - global_arena.low);
    if (checks.bounds && !inside_allocation(p, bytes)) {
        out_of_bounds(p, bytes, how.write, pc, space::global);
        return;
    }
    if (checks.uninitialised && (!how.write || (how.is_strong() && !how.blind)) && smux_cpu_is_fresh(p, bytes)) uninitialised_read(p, bytes, pc, space::global);
    if (!checks.race) return;
    each_word(at, bytes, [&](size_t w, unsigned mask) __attribute__((always_inline)) {
        if (!shadow_there(w, how.write)) return;
        check_word<false>(global_shadow, w, mask, how, pc, p, bytes, space::global);
    });
    if (how.is_strong()) strong_access(p, how, true);
}

__attribute__((noinline)) inline void variable_access(const void *p, size_t bytes, manner how, uint32_t pc) {
    if (how.write && is_constant(p, 1)) return constant_write(p, bytes, pc);
    if (!checks.race) return;
    bool any = false;
    each_word(size_t(static_cast<const char *>(p) - variables.low), bytes, [&](size_t w, unsigned mask) {
        if (!is_program_variable(w) || (program_variable[w] == of_constant && !several_queues)) return;
        any = true;
        check_word<false>(variable_shadow, w, mask, how, pc, p, bytes, space::variable);
    });
    if (how.is_strong() && any) strong_access(p, how, true);
}

// Only while a kernel runs.
inline __attribute__((always_inline)) void access(const void *p, size_t bytes, manner how, const void *return_address) {
    const char *c = static_cast<const char *>(p);
    if (__builtin_expect(unjudged, 0)) judge();
    if (size_t(c - global_arena.low) < size_t(global_arena.high - global_arena.low))
        global_access(p, bytes, how, place_of(return_address));
    else if (size_t(c - shared_arena.low) < size_t(shared_arena.high - shared_arena.low))
        shared_access(p, bytes, how, place_of(return_address));
    else if (size_t(c - variables.low) < size_t(variables.high - variables.low) &&
             is_program_variable(size_t(c - variables.low) / word))
        variable_access(p, bytes, how, place_of(return_address));
    else if (__builtin_expect(host_arguments, 0))
        host_memory_access(p, how, place_of(return_address));
}
// The same as a call, for accesses of the less frequent kinds: each place that has the whole of it inside is
// expensive to compile.
void access_out_of_line(const void *p, size_t bytes, manner how, const void *return_address);

}  // namespace check
}  // namespace smux_cpu
