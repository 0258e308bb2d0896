// Inside the checker: the shadow of each word, and the check of one access against it. In a header because every
// memory access of a kernel comes through here.
//
// Two accesses race when they touch the same byte, at least one writes, not both are strong enough for that, and neither
// thread knew of the other's doings. Each word of 4 bytes remembers its last write and its last two reads, by different threads
// where it can. That is less than everything: a race may hide behind a later access, as in every detector of this
// kind; but what is reported did happen.
#pragma once
#include <cstdint>

#include "check.h"
#include "check_clock.h"
#include "check_streams.h"
#include "check_sync.h"

namespace smux_cpu {
namespace check {

inline unsigned rank_of(mark m) { return unsigned(m >> rank_at) & 1023; }
inline strength strength_of(mark m) { return strength(m >> strong_at & 3); }
inline mark mask_bits(unsigned mask) { return mark(mask) << mask_at; }
inline uint32_t pc_of(mark m) { return (uint32_t(m & ((mark(1) << place_bits) - 1)) << 2) - 1; }
// Of a program that is too large the rest has no places.
inline mark place_bits_of(uint32_t pc) { return (pc + 1) >> (place_bits + 2) ? 0 : (pc + 1) >> 2; }
inline bool of_this_launch(mark m) { return m >= quick.earlier; }
inline bool of_running_block(mark m) { return m >= quick.block || (of_this_launch(m) && occasion_of(m).stamp == block->stamp); }

// A race of the access that is about to happen with one that a cell remembers.
struct race {
    const void *address;  // of the whole access
    size_t bytes;
    manner how;
    uint32_t pc;
    space where;
    mark other;
    uint32_t other_pc;
    bool other_writes;
};
// Reports it, unless it has been reported or the two blocks turn out to be ordered (check_pairs.cc).
void race_found(const race &r);

// A write that races has been let go on, and judge() is to see what it wrote.
extern bool unjudged;
void judge();
void begin_pairs(const char *kernel);
uint32_t linear_of_stamp(uint32_t stamp);  // the block, by its linear index

template <bool Shared> inline bool ordered(mark m) {
    if (!of_this_launch(m)) return true;
    if (m < quick.launch) return Shared || operation_is_ordered(m);
    const occasion then = occasion_of(m);
    // Blocks don't share shared memory: another one's mark there is a leftover.
    return then.stamp == block->stamp ? known(now.rank, rank_of(m), then.tick) : Shared;
}

// Two volatile accesses are looked at, too: they may be in a race of their own kind.
inline bool may_meet(mark other, strength mine) {
    const strength its = strength_of(other);
    if (mine == strength::weak || its == strength::weak || (mine == strength::is_volatile && its == mine)) return false;
    return (mine != strength::in_block && its != strength::in_block) || of_running_block(other);
}

template <bool Shared> inline __attribute__((always_inline)) bool conflicts(mark other, mark touched, manner how) {
    return (other & touched) && !may_meet(other, how.strong) && __builtin_expect(!ordered<Shared>(other), 0);
}

// The access touches the bytes of mask of this cell's word.
template <bool Shared>
inline void check_word(const shadow_memory &shadow, size_t number, unsigned mask, manner how, uint32_t pc, const void *address, size_t bytes, space where) {
    const mark touched = mask_bits(mask), mine = (quick.mine & ~all_bytes) | mark(how.strong) << strong_at | touched;
    mark &write = shadow.write[number], &read = shadow.read[number], &older = shadow.older[number];
    const mark last = how.write ? write : read;
    const bool same = (last ^ mine) >> strong_at == 0;
    // The same look from the same place by the same thread: it polls.
    constexpr mark by_whom = of_rank | ((mark(1) << place_bits) - 1);
    if (__builtin_expect(how.strong == strength::is_volatile, 0) && !how.write && ((last ^ mine ^ place_bits_of(pc)) & by_whom) == 0 && of_running_block(last)) waits_for(address);
    if (same && (last & touched) == touched) return;

    auto meets = [&](mark other, bool writes) __attribute__((always_inline)) {
        if (conflicts<Shared>(other, touched, how)) race_found({address, bytes, how, pc, where, other, pc_of(other), writes});
    };
    meets(write, true);
    if (how.write) meets(read, false), meets(older, false);

    const mark now = mine | (same ? last & all_bytes : 0) | place_bits_of(pc);
    if (how.write) {
        write = now;
        return;
    }
    const bool others = !of_running_block(last) || ((last ^ mine) & of_rank);
    if (!same && of_this_launch(last) && (others || (last & all_bytes & ~touched))) older = last;
    read = now;
}

// ---- where the cells are (check_shadow.cc)
void reserve_cells();         // after the global arena
void reserve_shared_cells();  // after the shared arena
void renew_chunks();
void forget_cells();          // all: times are to be used again
extern shadow_memory shared_shadow;     // of the whole shared arena
extern shadow_memory variable_shadow;   // of the executable's variables
extern shadow_memory global_shadow;     // of device memory
extern mark *granules;
extern arena variables;
constexpr size_t chunk = 65536;  // bytes of device memory whose shadow is counted together
bool make_shadow(size_t word_number, bool write);
// Is there a shadow of this word of device memory, which is to be written? False where there is no more in this launch.
inline bool shadow_there(size_t word_number, bool write) {
    mark &of = granules[word_number / (granule / word)];
    if (!of && !global_shadow.write[word_number] && !make_shadow(word_number, write)) return false;
    if (write && of && of < quick.earlier) of = quick.mine;
    return true;
}
void disarm(size_t at, size_t bytes);  // offset in the arena: these belong to no allocation any more
size_t global_bytes_covered();
// Is this word of the executable's data a variable of the program?
extern uint8_t *program_variable;  // per word: 0 not known yet, 1 yes, 2 no
constexpr uint8_t of_constant = 3;  // yes, as a whole; only another stream's copy is in a race with a read of it
bool find_program_variable(size_t word_number);
inline bool is_program_variable(size_t number) {
    uint8_t v = program_variable[number];
    return (v & 1) || (v == 0 && find_program_variable(number));
}

}  // namespace check
}  // namespace smux_cpu
