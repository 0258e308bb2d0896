// Loads and stores with a cache hint: plain accesses, at the caller's line. Only the volatile load means
// more than a hint: who polls with it waits for another thread, so that gets a chance to run.
#pragma once
#include <type_traits>

#include "smux_cpu/abi.h"

#define SMUX_CPU_LOAD(name) \
    template <class T> SMUX_CPU_INLINE T name(const T *address) { return *address; }
#define SMUX_CPU_STORE(name) \
    template <class T> SMUX_CPU_INLINE void name(T *address, typename std::common_type<T>::type value) { *address = value; }

SMUX_CPU_LOAD(__ldg)
SMUX_CPU_LOAD(__ldca)
SMUX_CPU_LOAD(__ldcg)
SMUX_CPU_LOAD(__ldcs)
SMUX_CPU_LOAD(__ldlu)
SMUX_CPU_STORE(__stcg)
SMUX_CPU_STORE(__stcs)
SMUX_CPU_STORE(__stwb)
SMUX_CPU_STORE(__stwt)

#undef SMUX_CPU_LOAD
#undef SMUX_CPU_STORE

template <class T> SMUX_CPU_INLINE T __ldcv(const T *address) {
    if (smux_cpu_in_kernel) smux_cpu_yield();
    __asm__ volatile("" : : : "memory");
    return *address;
}
