// PTX's mbarrier: 64 bits in which arrivals, and bytes of asynchronous copies, end one phase after another. Also what
// cuda::barrier is made of. The race detector takes the word for an atomic, so what all did before they arrived is known to
// those who waited. Threads that wait for ever are found as spinning.
#pragma once
#include "smux_cpu/atomics.h"

namespace smux_cpu {
namespace mbarrier {

typedef unsigned long long word;
constexpr unsigned most_arrivals = (1 << 20) - 1;

// pending and bytes: what this phase still waits for. Nobody may look back at phases so old that eight numbers don't do.
struct state {
    word phase : 3, expected : 20, pending : 20;
    long long bytes : 21;
};
SMUX_CPU_OWN inline word packed(const state &s) { return __builtin_bit_cast(word, s); }
SMUX_CPU_OWN inline state unpacked(word w) { return __builtin_bit_cast(state, w); }

SMUX_CPU_INLINE void check_count(unsigned count, unsigned most) {
    if (count == 0 || count > most) smux_cpu_bad_barrier(count ? "mbarrier: more arrivals than it waits for" : "mbarrier: a count of zero");
}
SMUX_CPU_INLINE void init(word *b, unsigned count) {
    check_count(count, most_arrivals);
    *b = packed({0, count, count, 0});
}

template <class Completion> SMUX_CPU_INLINE void end_phase(word *b, state &s, Completion &&completion) {
    smux_cpu_async_arrived(b);
    completion();
    s.pending = s.expected;
    s.bytes = 0;
    s.phase++;
}
// Where a phase waits for nothing but copies in bulk that are under way, they are made, and it ends. A GPU may do so at any time;
// here somebody must ask for it.
template <class Completion> SMUX_CPU_INLINE state settled(word *b, Completion &&completion) {
    state s = unpacked(atomic_load(b));
    if (s.pending == 0 && s.bytes != 0 && s.bytes == smux_cpu_bulk_under_way(b)) {
        end_phase(b, s, completion);
        atomic_store(b, packed(s));
    }
    return s;
}

// What happens to a barrier at once: fewer arrivals expected from the next phase on, arrivals, bytes to wait for. Returns
// the state before.
template <class Completion> SMUX_CPU_INLINE word change(word *b, int order, unsigned fewer, unsigned arrivals, long long bytes, Completion &&completion) {
    smux_cpu_atomic(b, sizeof *b, 'w', order);
    state s = settled(b, completion);
    const word before = packed(s);
    if (arrivals) check_count(arrivals, s.pending);
    s.expected -= fewer;
    s.pending -= arrivals;
    s.bytes += bytes;
    if (s.pending == 0 && s.bytes == 0) end_phase(b, s, completion);
    atomic_store(b, packed(s));
    return before;
}
SMUX_CPU_INLINE word change(word *b, int order, unsigned fewer, unsigned arrivals, long long bytes) {
    return change(b, order, fewer, arrivals, bytes, [] {});
}

// The present phase.
template <class Completion> SMUX_CPU_INLINE unsigned phase(const word *b, int order, Completion &&completion) {
    smux_cpu_atomic(const_cast<word *>(b), sizeof *b, 'r', order);
    return settled(const_cast<word *>(b), completion).phase;
}
SMUX_CPU_INLINE unsigned phase(const word *b, int order) {
    return phase(b, order, [] {});
}
// Has the phase ended in which the barrier had that state, or the last one of that parity?
SMUX_CPU_INLINE bool ended(const word *b, int order, word before) { return phase(b, order) != unpacked(before).phase; }
SMUX_CPU_INLINE bool parity_ended(const word *b, int order, unsigned parity) { return (phase(b, order) & 1) != parity; }
// The same for try_wait, which waits for a while.
template <class Test> SMUX_CPU_INLINE bool patiently(Test &&test) {
    if (test()) return true;
    smux_cpu_yield();
    return test();
}

// A copy to shared memory that a barrier waits for. Who waits knows what its thread knew.
SMUX_CPU_INLINE void bulk_load(void *to, const void *from, unsigned bytes, word *b) {
    smux_cpu_atomic(b, sizeof *b, 'w', ordering::release);
    smux_cpu_bulk_copy(to, from, bytes, b);
}

}  // namespace mbarrier
}  // namespace smux_cpu
