// Atomic functions of CUDA C++. One thread runs at a time, so they are plain arithmetic; the runtime hears of
// each, for its race detector and to let other threads run where one spins. The scopes make no difference.
#pragma once
#include <type_traits>

#include "smux_cpu/abi.h"

// The accesses themselves must not look like those of the program: in a build with access hooks they are out of
// line and have none. The functions around them are inlined, so that an atomic is found at the user's line.
#if defined(__SANITIZE_THREAD__)
#define SMUX_CPU_UNSEEN inline __attribute__((noinline, no_sanitize("thread")))
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SMUX_CPU_UNSEEN inline __attribute__((noinline, no_sanitize("thread")))
#endif
#endif
#ifndef SMUX_CPU_UNSEEN
#define SMUX_CPU_UNSEEN inline __attribute__((always_inline))
#endif

namespace smux_cpu {

// The type of the value, not deduced from it: it is converted to that of the word.
template <class T> using value_for = typename std::common_type<std::remove_cv_t<T>>::type;

template <class T> SMUX_CPU_UNSEEN value_for<T> atomic_load(const T *p) {
    if constexpr (std::is_scalar<T>::value) return *const_cast<const volatile T *>(p);
    else return *p;
}
template <class T> SMUX_CPU_UNSEEN void atomic_store(T *p, value_for<T> value) {
    if constexpr (std::is_scalar<T>::value) *const_cast<volatile T *>(p) = value;
    else *p = value;
}

}  // namespace smux_cpu

// old is what the word held, v the value given; the result is what it will hold; kind as smux_cpu_atomic has it.
#define SMUX_CPU_ATOMIC_NAMED(name, kind, result)                                                 \
    template <class T> SMUX_CPU_INLINE smux_cpu::value_for<T> name(T *p, smux_cpu::value_for<T> v) { \
        using V = smux_cpu::value_for<T>;                                                         \
        smux_cpu_atomic(const_cast<const V *>(p), sizeof(T), std::is_integral<V>::value || kind == 'x' ? kind : 'w'); \
        V old = smux_cpu::atomic_load(p);                                                         \
        smux_cpu::atomic_store(p, V(result));                                                     \
        return old;                                                                               \
    }
#define SMUX_CPU_ATOMIC(name, kind, result)             \
    SMUX_CPU_ATOMIC_NAMED(name, kind, result)           \
    SMUX_CPU_ATOMIC_NAMED(name##_block, kind, result)   \
    SMUX_CPU_ATOMIC_NAMED(name##_system, kind, result)

SMUX_CPU_ATOMIC(atomicAdd, '+', old + v)
SMUX_CPU_ATOMIC(atomicSub, '+', old - v)
SMUX_CPU_ATOMIC(atomicExch, 'x', v)
SMUX_CPU_ATOMIC(atomicMin, '<', v < old ? v : old)
SMUX_CPU_ATOMIC(atomicMax, '>', old < v ? v : old)
SMUX_CPU_ATOMIC(atomicAnd, '&', old & v)
SMUX_CPU_ATOMIC(atomicOr, '|', old | v)
SMUX_CPU_ATOMIC(atomicXor, '^', old ^ v)
SMUX_CPU_ATOMIC(atomicInc, 'w', old >= v ? V(0) : V(old + 1))
SMUX_CPU_ATOMIC(atomicDec, 'w', old == 0 || old > v ? v : V(old - 1))
#undef SMUX_CPU_ATOMIC
#undef SMUX_CPU_ATOMIC_NAMED

#define SMUX_CPU_ATOMIC_CAS(name)                                                                   \
    template <class T>                                                                              \
    SMUX_CPU_INLINE smux_cpu::value_for<T> name(T *p, smux_cpu::value_for<T> expected, smux_cpu::value_for<T> v) { \
        using V = smux_cpu::value_for<T>;                                                           \
        smux_cpu_guessed(const_cast<const V *>(p), sizeof(T));                                      \
        smux_cpu_atomic(const_cast<const V *>(p), sizeof(T), 'w');                                 \
        V old = smux_cpu::atomic_load(p);                                                           \
        if (old == expected) smux_cpu::atomic_store(p, v);                                          \
        return old;                                                                                 \
    }
SMUX_CPU_ATOMIC_CAS(atomicCAS)
SMUX_CPU_ATOMIC_CAS(atomicCAS_block)
SMUX_CPU_ATOMIC_CAS(atomicCAS_system)
#undef SMUX_CPU_ATOMIC_CAS

// nvcc's own (12.8 and later); one thread runs at a time, so orders and scopes make no difference.
#define __NV_ATOMIC_RELAXED 0
#define __NV_ATOMIC_CONSUME 1
#define __NV_ATOMIC_ACQUIRE 2
#define __NV_ATOMIC_RELEASE 3
#define __NV_ATOMIC_ACQ_REL 4
#define __NV_ATOMIC_SEQ_CST 5
#define __NV_THREAD_SCOPE_THREAD 0
#define __NV_THREAD_SCOPE_BLOCK 1
#define __NV_THREAD_SCOPE_CLUSTER 2
#define __NV_THREAD_SCOPE_DEVICE 3
#define __NV_THREAD_SCOPE_SYSTEM 4

#define SMUX_CPU_NV_ATOMIC(name, type, function)                                                                     \
    template <class T> SMUX_CPU_INLINE type name(T *p, smux_cpu::value_for<T> v, int = 0, int = 0) { return type(function(p, v)); }
#define SMUX_CPU_NV_FETCH(operation, function)                                           \
    SMUX_CPU_NV_ATOMIC(__nv_atomic_fetch_##operation, smux_cpu::value_for<T>, function) \
    SMUX_CPU_NV_ATOMIC(__nv_atomic_##operation, void, function)
SMUX_CPU_NV_FETCH(add, atomicAdd)
SMUX_CPU_NV_FETCH(sub, atomicSub)
SMUX_CPU_NV_FETCH(and, atomicAnd)
SMUX_CPU_NV_FETCH(or, atomicOr)
SMUX_CPU_NV_FETCH(xor, atomicXor)
SMUX_CPU_NV_FETCH(min, atomicMin)
SMUX_CPU_NV_FETCH(max, atomicMax)
SMUX_CPU_NV_ATOMIC(__nv_atomic_exchange_n, smux_cpu::value_for<T>, atomicExch)
SMUX_CPU_NV_ATOMIC(__nv_atomic_store_n, void, atomicExch)
template <class T> SMUX_CPU_INLINE smux_cpu::value_for<T> __nv_atomic_load_n(const T *p, int = 0, int = 0) {
    smux_cpu_atomic(const_cast<const smux_cpu::value_for<T> *>(p), sizeof(T), 'r');
    return smux_cpu::atomic_load(p);
}
#undef SMUX_CPU_NV_FETCH
#undef SMUX_CPU_NV_ATOMIC
