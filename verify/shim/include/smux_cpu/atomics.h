// Atomic functions of CUDA C++. One thread runs at a time, so they are plain arithmetic; the runtime hears of
// each, with its order and scope, for its race detector and to let other threads run where one spins.
// Modelled: Atomic functions, `cuda::atomic`, PTX `ld st atom red` | orders and scopes; a cluster's is the block's | outcomes of weak orders: values are those of one order of all threads
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

// A type whose sums don't depend on the order: all numbers with fractions, by smux_cpu_add.
template <class T> constexpr bool sums_exactly = std::is_floating_point<T>::value || (!std::is_arithmetic<T>::value && std::is_convertible<T, float>::value && sizeof(T) == 2);

template <class T, class V> SMUX_CPU_INLINE T sum(const void *address, T old, V v) {
    if constexpr (sums_exactly<T>) {
        smux_cpu_sum *of;
        const T result = T(smux_cpu_add(address, double(old), double(v), sizeof(T) == sizeof(double), &of));
        smux_cpu_stored(of, double(result));
        return result;
    } else {
        return old + v;
    }
}

}  // namespace smux_cpu

// old is what the word held, v the value given; the result is what it will hold; kind as smux_cpu_atomic has it. CUDA's own
// functions are relaxed, and of the device's scope where their name says no other.
#define SMUX_CPU_ATOMIC(name, kind, result)                                                       \
    namespace smux_cpu {                                                                          \
    template <class T> SMUX_CPU_INLINE value_for<T> ordered_##name(T *p, value_for<T> v, int order) { \
        using V = value_for<T>;                                                                   \
        smux_cpu_atomic(const_cast<const V *>(p), sizeof(T), std::is_integral<V>::value || sums_exactly<V> || kind == 'x' ? kind : 'w', order); \
        V old = atomic_load(p);                                                                   \
        atomic_store(p, V(result));                                                               \
        return old;                                                                               \
    }                                                                                             \
    }                                                                                             \
    SMUX_CPU_ATOMIC_NAMED(name, name, 0)                                                          \
    SMUX_CPU_ATOMIC_NAMED(name##_block, name, smux_cpu::ordering::in_block)                                 \
    SMUX_CPU_ATOMIC_NAMED(name##_system, name, smux_cpu::ordering::in_system)
#define SMUX_CPU_ATOMIC_NAMED(name, of, scope)                                                    \
    template <class T> SMUX_CPU_INLINE smux_cpu::value_for<T> name(T *p, smux_cpu::value_for<T> v) { return smux_cpu::ordered_##of(p, v, scope); }

SMUX_CPU_ATOMIC(atomicAdd, '+', sum(p, old, v))
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

namespace smux_cpu {

template <class T> SMUX_CPU_INLINE value_for<T> ordered_atomicCAS(T *p, value_for<T> expected, value_for<T> v, int order) {
    using V = value_for<T>;
    smux_cpu_guessed(const_cast<const V *>(p), sizeof(T));
    smux_cpu_atomic(const_cast<const V *>(p), sizeof(T), 'c', order);
    V old = atomic_load(p);
    if (old == expected) {
        smux_cpu_swapped(const_cast<const V *>(p), order);
        atomic_store(p, v);
    }
    return old;
}
template <class T> SMUX_CPU_INLINE value_for<T> ordered_load(const T *p, int order) {
    smux_cpu_atomic(const_cast<const value_for<T> *>(p), sizeof(T), 'r', order);
    return atomic_load(p);
}
template <class T> SMUX_CPU_INLINE void ordered_store(T *p, value_for<T> v, int order) {
    smux_cpu_atomic(const_cast<const value_for<T> *>(p), sizeof(T), 's', order);
    atomic_store(p, v);
}

}  // namespace smux_cpu

#define SMUX_CPU_ATOMIC_CAS(name, scope)                                                            \
    template <class T>                                                                              \
    SMUX_CPU_INLINE smux_cpu::value_for<T> name(T *p, smux_cpu::value_for<T> expected, smux_cpu::value_for<T> v) { \
        return smux_cpu::ordered_atomicCAS(p, expected, v, scope);                                  \
    }
SMUX_CPU_ATOMIC_CAS(atomicCAS, 0)
SMUX_CPU_ATOMIC_CAS(atomicCAS_block, smux_cpu::ordering::in_block)
SMUX_CPU_ATOMIC_CAS(atomicCAS_system, smux_cpu::ordering::in_system)
#undef SMUX_CPU_ATOMIC_CAS

// nvcc's own (12.8 and later).
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

namespace smux_cpu {
constexpr int nv_order(int order, int scope) {
    return order_of(order) | (scope == __NV_THREAD_SCOPE_THREAD ? ordering::in_thread : scope <= __NV_THREAD_SCOPE_CLUSTER ? ordering::in_block : scope == __NV_THREAD_SCOPE_SYSTEM ? ordering::in_system : 0);
}
}  // namespace smux_cpu

#define SMUX_CPU_NV_ATOMIC(name, type, function)                                                                     \
    template <class T> SMUX_CPU_INLINE type name(T *p, smux_cpu::value_for<T> v, int order = __NV_ATOMIC_RELAXED, int scope = __NV_THREAD_SCOPE_SYSTEM) { \
        return type(smux_cpu::ordered_##function(p, v, smux_cpu::nv_order(order, scope)));                           \
    }
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
SMUX_CPU_NV_ATOMIC(__nv_atomic_store_n, void, store)
template <class T> SMUX_CPU_INLINE smux_cpu::value_for<T> __nv_atomic_load_n(const T *p, int order = __NV_ATOMIC_RELAXED, int scope = __NV_THREAD_SCOPE_SYSTEM) {
    return smux_cpu::ordered_load(p, smux_cpu::nv_order(order, scope));
}
template <class T>
SMUX_CPU_INLINE bool __nv_atomic_compare_exchange_n(T *p, T *expected, smux_cpu::value_for<T> v, bool, int order, int failure, int scope = __NV_THREAD_SCOPE_SYSTEM) {
    // As cuda::atomic's.
    smux_cpu_atomic(p, sizeof(T), 'c', smux_cpu::nv_order(failure, scope));
    const T old = smux_cpu::atomic_load(p);
    if (__builtin_memcmp(&old, expected, sizeof(T)) != 0) return *expected = old, false;
    smux_cpu_swapped(p, smux_cpu::nv_order(order, scope));
    smux_cpu::atomic_store(p, v);
    return true;
}
SMUX_CPU_INLINE void __nv_atomic_thread_fence(int order = __NV_ATOMIC_SEQ_CST, int scope = __NV_THREAD_SCOPE_SYSTEM) { smux_cpu_fence(smux_cpu::nv_order(order, scope)); }
#undef SMUX_CPU_NV_FETCH
#undef SMUX_CPU_NV_ATOMIC
