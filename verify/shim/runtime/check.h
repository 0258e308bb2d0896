// Inside the checker: what its parts (check_*.cc) share. The engine sees engine.h only.
//
// The checker lives from the hooks that -fsanitize=thread puts before every memory access of a translated program
// (check_hooks.cc). It never changes what the program does; it only writes findings:
//   check_clock     who knows of whose doings, by barriers, warp operations and atomics
//   check_race      two accesses to one word of which at least one writes, without an order between them
//   check_bounds    accesses outside allocations and shared variables
//   check_constant  writes to constant memory
//   check_uninitialised, check_region   shared memory: never written in this block; left over from another region
// Addresses fall into three spaces: shared memory, device memory (the arenas of engine.h), and the executable's own
// variables, among which are the __device__ ones. Everything else (stacks, the host's heap) is not looked at.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "engine.h"
#include "report.h"

namespace smux_cpu {
namespace check {

// What SMUX_CHECKS asks for; all where it is not set. Valid when `on`.
struct selection { bool race, bounds, uninitialised, region, host; };
extern selection checks;

// Launches in which the shadow memory did not suffice, so that races on part of the memory went unseen.
extern long long unchecked_launches;

enum class space { shared, global, variable };

// How an access stands to others at the same time. Atomic ones are in no race with each other where their scopes hold both threads.
// Volatile ones are no element of a shared array; they count as atomic ones, but updates by two of them may be lost.
enum class strength : uint8_t { weak, is_volatile, in_block, everywhere };

// What an access is. Strong ones order others as check_sync.h has it.
struct manner {
    bool write;
    strength strong = strength::weak;
    int order = ordering::relaxed;
    bool blind = false;      // a strong write, whatever stood there: not the update of an atomic function
    bool undecided = false;  // a compare-and-swap, of which it is not known whether it will write
    bool exchanges = false;  // blind, but it reads what others told by the word
    bool is_strong() const { return strong != strength::weak; }
};

// What the address is part of: members space, variable, file, line, offset, bytes.
void describe(record &r, const void *address, size_t bytes, space where);

// Findings of one kind at one place are reported once. True for the first call with these values.
bool first_time(const char *code, uintptr_t pc);

// Writes what is held back until it is known whether it matters (check_pairs.cc).
void flush();
// Before the last line of the report: the same, and the canaries.
void program_end();

// Shadow memory: zero, reserved without being there until it is touched. Null where there is no address space.
void *reserve_shadow(size_t bytes);

}  // namespace check

// Looks at all canaries of all allocations that live (memory.cc): at a free, after launches and at the end.
void check_canaries(bool all);
// Behind the shared variables of the block that has just ended.
void check_shared_canaries();

}  // namespace smux_cpu
