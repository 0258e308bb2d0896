// Barriers and fences of CUDA C++, and the named barriers of PTX. All are inlined: the runtime takes the return
// address for the place where a thread waits.
// Modelled: Barriers, fences | of block, device and system | fences of proxies
#pragma once
#include "smux_cpu/abi.h"

namespace smux_cpu {

// bar.sync, bar.arrive and bar.red. threads 0 stands for the whole block.
SMUX_CPU_INLINE void barrier_sync(unsigned id, unsigned threads = 0) { smux_cpu_barrier_sync(id, threads); }
SMUX_CPU_INLINE void barrier_arrive(unsigned id, unsigned threads) { smux_cpu_barrier_arrive(id, threads); }
SMUX_CPU_INLINE int barrier_popc(unsigned id, unsigned threads, int predicate) {
    int all;
    return smux_cpu_barrier_count(id, threads, predicate, &all);
}
SMUX_CPU_INLINE int barrier_and(unsigned id, unsigned threads, int predicate) {
    int all, of = smux_cpu_barrier_count(id, threads, predicate, &all);
    return of == all;
}
SMUX_CPU_INLINE int barrier_or(unsigned id, unsigned threads, int predicate) {
    int all;
    return smux_cpu_barrier_count(id, threads, predicate, &all) != 0;
}

}  // namespace smux_cpu

SMUX_CPU_INLINE void __syncthreads() { smux_cpu_barrier_sync(0, 0); }
// Each in the text has a name of its own in the debug information: a macro may have several, on one line and column.
// A declaration of the function remains one.
namespace smux_cpu {
template <int> struct textual {};
}
template <int Number> SMUX_CPU_INLINE void smux_cpu_syncthreads(smux_cpu::textual<Number>) { smux_cpu_barrier_sync(0, 0); }
#define __syncthreads() smux_cpu_syncthreads(smux_cpu::textual<__COUNTER__>())
SMUX_CPU_INLINE int __syncthreads_count(int predicate) { return smux_cpu::barrier_popc(0, 0, predicate); }
SMUX_CPU_INLINE int __syncthreads_and(int predicate) { return smux_cpu::barrier_and(0, 0, predicate); }
SMUX_CPU_INLINE int __syncthreads_or(int predicate) { return smux_cpu::barrier_or(0, 0, predicate); }
SMUX_CPU_INLINE void __barrier_sync(unsigned id) { smux_cpu_barrier_sync(id, 0); }
SMUX_CPU_INLINE void __barrier_sync_count(unsigned id, unsigned threads) { smux_cpu_barrier_sync(id, threads); }

SMUX_CPU_INLINE void __threadfence() { smux_cpu_fence(smux_cpu::ordering::acq_rel); }
SMUX_CPU_INLINE void __threadfence_block() { smux_cpu_fence(smux_cpu::ordering::acq_rel | smux_cpu::ordering::in_block); }
SMUX_CPU_INLINE void __threadfence_system() { smux_cpu_fence(smux_cpu::ordering::acq_rel | smux_cpu::ordering::in_system); }
SMUX_CPU_INLINE void __nanosleep(unsigned) { smux_cpu_yield(); }

SMUX_CPU_INLINE void __trap() { smux_cpu_trap("__trap"); }
SMUX_CPU_INLINE void __brkpt() { smux_cpu_trap("__brkpt"); }
SMUX_CPU_INLINE void __prof_trigger(int) {}

// An assumption that does not hold would be undefined behaviour on a GPU; here it is a finding.
#define __builtin_assume(...) ((__VA_ARGS__) ? (void)0 : smux_cpu_trap("__builtin_assume(" #__VA_ARGS__ ")"))
