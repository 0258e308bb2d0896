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
        smux_cpu_atomic(const_cast<const V *>(p), sizeof(T), std::is_integral<V>::value ? kind : 'w'); \
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
SMUX_CPU_ATOMIC(atomicExch, 'w', v)
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
