// Warp-level functions of CUDA C++: shuffles, votes, matches, reductions. Those without _sync are of the time
// when warps ran in lock-step; they take all lanes that live.
// Modelled: Warps | operations by their masks; shuffles and votes order memory, too, which CUDA does not promise | lanes in step
#pragma once
#include "smux_cpu/exchange.h"

SMUX_CPU_INLINE void __syncwarp(unsigned mask = 0xffffffff) { smux_cpu_warp(mask, smux_cpu::warp_sync, nullptr, 0); }
// Lanes that happen to run together. Which ones is up to the hardware; here, those that wait for no other.
SMUX_CPU_INLINE unsigned __activemask() { return smux_cpu_active_lanes(); }

// ---- shuffles. A lane whose source lies outside its segment keeps its own value.
namespace smux_cpu {
template <class T>
SMUX_CPU_INLINE T shuffle(unsigned mask, int kind, const T &value, unsigned source, bool inside) {
    exchanged<T> e = exchange(mask, kind, value);
    return inside ? e.from(mask, source, value) : value;
}
}  // namespace smux_cpu

template <class T> SMUX_CPU_INLINE T __shfl_sync(unsigned mask, T value, int source, int width = 32) {
    unsigned w = unsigned(width), first = smux_cpu::lane() & ~(w - 1);
    return smux_cpu::shuffle(mask, smux_cpu::warp_shuffle, value, first | (unsigned(source) & (w - 1)), true);
}
template <class T> SMUX_CPU_INLINE T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {
    unsigned lane = smux_cpu::lane(), first = lane & ~(unsigned(width) - 1);
    return smux_cpu::shuffle(mask, smux_cpu::warp_shuffle_up, value, lane - delta, delta <= lane - first);
}
template <class T> SMUX_CPU_INLINE T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) {
    unsigned lane = smux_cpu::lane(), last = lane | (unsigned(width) - 1);
    return smux_cpu::shuffle(mask, smux_cpu::warp_shuffle_down, value, lane + delta, delta <= last - lane);
}
// Segments before the own one can be read, those after it can't.
template <class T> SMUX_CPU_INLINE T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32) {
    unsigned lane = smux_cpu::lane(), source = lane ^ unsigned(bits), last = lane | (unsigned(width) - 1);
    return smux_cpu::shuffle(mask, smux_cpu::warp_shuffle_xor, value, source, source <= last);
}
template <class T> SMUX_CPU_INLINE T __shfl(T value, int source, int width = 32) {
    return __shfl_sync(0xffffffff, value, source, width);
}
template <class T> SMUX_CPU_INLINE T __shfl_up(T value, unsigned delta, int width = 32) {
    return __shfl_up_sync(0xffffffff, value, delta, width);
}
template <class T> SMUX_CPU_INLINE T __shfl_down(T value, unsigned delta, int width = 32) {
    return __shfl_down_sync(0xffffffff, value, delta, width);
}
template <class T> SMUX_CPU_INLINE T __shfl_xor(T value, int bits, int width = 32) {
    return __shfl_xor_sync(0xffffffff, value, bits, width);
}

// ---- votes
SMUX_CPU_INLINE unsigned __ballot_sync(unsigned mask, int predicate) { return smux_cpu::vote(mask, predicate != 0); }
SMUX_CPU_INLINE int __any_sync(unsigned mask, int predicate) { return smux_cpu::vote(mask, predicate != 0) != 0; }
SMUX_CPU_INLINE int __all_sync(unsigned mask, int predicate) { return smux_cpu::vote(mask, predicate == 0) == 0; }
SMUX_CPU_INLINE int __uni_sync(unsigned mask, int predicate) {
    unsigned members, yes = smux_cpu::vote(mask, predicate != 0, &members);
    return yes == 0 || yes == members;
}
SMUX_CPU_INLINE unsigned __ballot(int predicate) { return __ballot_sync(0xffffffff, predicate); }
SMUX_CPU_INLINE int __any(int predicate) { return __any_sync(0xffffffff, predicate); }
SMUX_CPU_INLINE int __all(int predicate) { return __all_sync(0xffffffff, predicate); }

// ---- matches: by bits, also for floating values
template <class T> SMUX_CPU_INLINE unsigned __match_any_sync(unsigned mask, T value) {
    return smux_cpu::exchange(mask, smux_cpu::warp_match, value).equal_to(value);
}
template <class T> SMUX_CPU_INLINE unsigned __match_all_sync(unsigned mask, T value, int *all) {
    smux_cpu::exchanged<T> e = smux_cpu::exchange(mask, smux_cpu::warp_match, value);
    *all = e.equal_to(value) == e.members();
    return *all ? mask : 0;
}

// ---- reductions
#define SMUX_CPU_REDUCE(name, type, expression)                                      \
    SMUX_CPU_INLINE type __reduce_##name##_sync(unsigned mask, type value) {         \
        return smux_cpu::exchange(mask, smux_cpu::warp_reduce, value).fold([](type a, type b) -> type { return expression; }); \
    }
SMUX_CPU_REDUCE(add, unsigned, a + b)
SMUX_CPU_REDUCE(add, int, int(unsigned(a) + unsigned(b)))
SMUX_CPU_REDUCE(min, unsigned, b < a ? b : a)
SMUX_CPU_REDUCE(min, int, b < a ? b : a)
SMUX_CPU_REDUCE(max, unsigned, b > a ? b : a)
SMUX_CPU_REDUCE(max, int, b > a ? b : a)
SMUX_CPU_REDUCE(and, unsigned, a & b)
SMUX_CPU_REDUCE(or, unsigned, a | b)
SMUX_CPU_REDUCE(xor, unsigned, a ^ b)
#undef SMUX_CPU_REDUCE

// ---- the special registers %lanemask_*
namespace smux_cpu {
SMUX_CPU_INLINE unsigned lanemask_eq() { return 1u << lane(); }
SMUX_CPU_INLINE unsigned lanemask_lt() { return lanemask_eq() - 1; }
SMUX_CPU_INLINE unsigned lanemask_le() { return lanemask_lt() | lanemask_eq(); }
SMUX_CPU_INLINE unsigned lanemask_gt() { return ~lanemask_le(); }
SMUX_CPU_INLINE unsigned lanemask_ge() { return ~lanemask_lt(); }
}  // namespace smux_cpu
