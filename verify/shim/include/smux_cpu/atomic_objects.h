// cuda::atomic and cuda::atomic_ref, with their scopes and orders.
#pragma once
#define _CUDA_ATOMIC  // libcu++'s, which has PTX for these, must not come in beside this
#include <atomic>
#include <cstddef>
#include <type_traits>

#include "smux_cpu/atomics.h"

namespace cuda {

enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread = 10 };

using ::std::memory_order;
using ::std::memory_order_acq_rel;
using ::std::memory_order_acquire;
using ::std::memory_order_consume;
using ::std::memory_order_relaxed;
using ::std::memory_order_release;
using ::std::memory_order_seq_cst;

namespace smux {

constexpr memory_order any = memory_order_seq_cst;

constexpr int ordered(memory_order order, thread_scope scope) {
    return smux_cpu::order_of(int(order)) | (scope == thread_scope_thread ? smux_cpu::ordering::in_thread : scope == thread_scope_block ? smux_cpu::ordering::in_block : scope == thread_scope_system ? smux_cpu::ordering::in_system : 0);
}

// The operations on a word that lies at word().
template <class T, thread_scope Scope, class Self> class atomic_operations {
    static constexpr bool is_pointer = ::std::is_pointer<T>::value;
    using difference = ::std::conditional_t<is_pointer, ptrdiff_t, T>;

public:
    using value_type = T;
    static constexpr bool is_always_lock_free = sizeof(T) <= 8;
    bool is_lock_free() const { return is_always_lock_free; }

    SMUX_CPU_INLINE T load(memory_order order = any) const { return smux_cpu::ordered_load(word(), ordered(order, Scope)); }
    SMUX_CPU_INLINE void store(T value, memory_order order = any) const { smux_cpu::ordered_store(word(), value, ordered(order, Scope)); }
    SMUX_CPU_INLINE T exchange(T value, memory_order order = any) const {
        smux_cpu_atomic(word(), sizeof(T), 'x', ordered(order, Scope));
        T old = smux_cpu::atomic_load(word());
        smux_cpu::atomic_store(word(), value);
        return old;
    }
    SMUX_CPU_INLINE bool compare_exchange_strong(T &expected, T value, memory_order order, memory_order failure) const {
        // The order of a failure comes first: what it does not acquire, the swap does.
        smux_cpu_atomic(word(), sizeof(T), 'c', ordered(failure, Scope));
        T old = smux_cpu::atomic_load(word());
        bool equal = __builtin_memcmp(&old, &expected, sizeof(T)) == 0;
        if (equal) {
            smux_cpu_swapped(word(), ordered(order, Scope));
            smux_cpu::atomic_store(word(), value);
        } else {
            expected = old;
        }
        return equal;
    }
    SMUX_CPU_INLINE bool compare_exchange_strong(T &expected, T value, memory_order order = any) const {
        return compare_exchange_strong(expected, value, order, order == memory_order_acq_rel ? memory_order_acquire : order == memory_order_release ? memory_order_relaxed : order);
    }
    SMUX_CPU_INLINE bool compare_exchange_weak(T &expected, T value, memory_order order, memory_order failure) const {
        return compare_exchange_strong(expected, value, order, failure);
    }
    SMUX_CPU_INLINE bool compare_exchange_weak(T &expected, T value, memory_order order = any) const {
        return compare_exchange_strong(expected, value, order);
    }

#define SMUX_CPU_FETCH(name, operand, result)                         \
    SMUX_CPU_INLINE T name(operand v, memory_order order = any) const { \
        smux_cpu_atomic(word(), sizeof(T), 'w', ordered(order, Scope)); \
        T old = smux_cpu::atomic_load(word());                        \
        smux_cpu::atomic_store(word(), T(result));                    \
        return old;                                                   \
    }
    SMUX_CPU_FETCH(fetch_add, difference, smux_cpu::sum(word(), old, v))
    SMUX_CPU_FETCH(fetch_sub, difference, smux_cpu::sum(word(), old, difference(-v)))
    SMUX_CPU_FETCH(fetch_and, T, old & v)
    SMUX_CPU_FETCH(fetch_or, T, old | v)
    SMUX_CPU_FETCH(fetch_xor, T, old ^ v)
    SMUX_CPU_FETCH(fetch_min, T, v < old ? v : old)
    SMUX_CPU_FETCH(fetch_max, T, old < v ? v : old)
#undef SMUX_CPU_FETCH

    SMUX_CPU_INLINE operator T() const { return load(); }
    SMUX_CPU_INLINE T operator++() const { return fetch_add(1) + 1; }
    SMUX_CPU_INLINE T operator--() const { return fetch_sub(1) - 1; }
    SMUX_CPU_INLINE T operator++(int) const { return fetch_add(1); }
    SMUX_CPU_INLINE T operator--(int) const { return fetch_sub(1); }
    SMUX_CPU_INLINE T operator+=(difference v) const { return fetch_add(v) + v; }
    SMUX_CPU_INLINE T operator-=(difference v) const { return fetch_sub(v) - v; }
    SMUX_CPU_INLINE T operator&=(T v) const { return fetch_and(v) & v; }
    SMUX_CPU_INLINE T operator|=(T v) const { return fetch_or(v) | v; }
    SMUX_CPU_INLINE T operator^=(T v) const { return fetch_xor(v) ^ v; }

    SMUX_CPU_INLINE void wait(T old, memory_order order = any) const {
        while (load(order) == old) smux_cpu_yield();
    }
    void notify_one() const {}
    void notify_all() const {}

private:
    SMUX_CPU_INLINE T *word() const { return static_cast<const Self *>(this)->smux_word(); }
};

}  // namespace smux

template <class T, thread_scope Scope = thread_scope_system>
class atomic : public smux::atomic_operations<T, Scope, atomic<T, Scope>> {
public:
    atomic() = default;
    constexpr atomic(T value) : value_(value) {}
    atomic(const atomic &) = delete;
    atomic &operator=(const atomic &) = delete;
    SMUX_CPU_INLINE T operator=(T value) { return this->store(value), value; }
    T *smux_word() const { return const_cast<T *>(&value_); }

private:
    alignas(sizeof(T) <= 8 ? sizeof(T) : alignof(T)) T value_;
};

template <class T, thread_scope Scope = thread_scope_system>
class atomic_ref : public smux::atomic_operations<T, Scope, atomic_ref<T, Scope>> {
public:
    explicit atomic_ref(T &word) : word_(&word) {}
    SMUX_CPU_INLINE T operator=(T value) const { return this->store(value), value; }
    T *smux_word() const { return word_; }

private:
    T *word_;
};

class atomic_flag {
public:
    constexpr atomic_flag(int set = 0) : set_(set) {}
    SMUX_CPU_INLINE bool test(memory_order order = smux::any) const { return set_.load(order) != 0; }
    SMUX_CPU_INLINE bool test_and_set(memory_order order = smux::any) { return set_.exchange(1, order) != 0; }
    SMUX_CPU_INLINE void clear(memory_order order = smux::any) { set_.store(0, order); }
    SMUX_CPU_INLINE void wait(bool old, memory_order order = smux::any) const { set_.wait(old, order); }
    void notify_one() const {}
    void notify_all() const {}

private:
    atomic<int> set_;
};
SMUX_CPU_INLINE bool atomic_flag_test_and_set(atomic_flag *f) { return f->test_and_set(); }
SMUX_CPU_INLINE bool atomic_flag_test_and_set_explicit(atomic_flag *f, memory_order order) { return f->test_and_set(order); }
SMUX_CPU_INLINE void atomic_flag_clear(atomic_flag *f) { f->clear(); }
SMUX_CPU_INLINE void atomic_flag_clear_explicit(atomic_flag *f, memory_order order) { f->clear(order); }

SMUX_CPU_INLINE void atomic_thread_fence(memory_order order, thread_scope scope = thread_scope_system) {
    smux_cpu_fence(smux::ordered(order, scope));
}

namespace std {
using ::cuda::atomic_flag;
using ::cuda::atomic_flag_clear;
using ::cuda::atomic_flag_clear_explicit;
using ::cuda::atomic_flag_test_and_set;
using ::cuda::atomic_flag_test_and_set_explicit;
using ::cuda::memory_order;
using ::cuda::memory_order_acq_rel;
using ::cuda::memory_order_acquire;
using ::cuda::memory_order_relaxed;
using ::cuda::memory_order_release;
using ::cuda::memory_order_seq_cst;
template <class T> using atomic = ::cuda::atomic<T>;
template <class T> using atomic_ref = ::cuda::atomic_ref<T>;
SMUX_CPU_INLINE void atomic_thread_fence(memory_order order) { ::cuda::atomic_thread_fence(order); }
}  // namespace std

}  // namespace cuda
