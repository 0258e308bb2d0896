// cuda::latch, cuda::counting_semaphore and cuda::binary_semaphore, by an atomic each.
#pragma once
#define _CUDA_LATCH  // as in atomic_objects.h
#define _CUDA_SEMAPHORE
#include <climits>

#include "smux_cpu/atomic_objects.h"

namespace cuda {

template <thread_scope Scope = thread_scope_system> class latch {
public:
    constexpr explicit latch(ptrdiff_t expected) : left_(expected) {}
    static constexpr ptrdiff_t max() { return INT_MAX; }
    SMUX_CPU_INLINE void count_down(ptrdiff_t n = 1) {
        if (left_.fetch_sub(n, memory_order_release) < n) smux_cpu_bad_barrier("latch: more arrivals than it waits for");
    }
    SMUX_CPU_INLINE bool try_wait() const { return left_.load(memory_order_acquire) == 0; }
    SMUX_CPU_INLINE void wait() const {
        while (!try_wait()) smux_cpu_yield();
    }
    SMUX_CPU_INLINE void arrive_and_wait(ptrdiff_t n = 1) { count_down(n), wait(); }

private:
    atomic<ptrdiff_t, Scope> left_;
};

template <thread_scope Scope = thread_scope_system, ptrdiff_t Most = INT_MAX> class counting_semaphore {
public:
    constexpr explicit counting_semaphore(ptrdiff_t there) : there_(there) {}
    static constexpr ptrdiff_t max() { return Most; }
    SMUX_CPU_INLINE void release(ptrdiff_t n = 1) { there_.fetch_add(n, memory_order_release); }
    SMUX_CPU_INLINE bool try_acquire() {
        ptrdiff_t there = there_.load(memory_order_relaxed);
        return there > 0 && there_.compare_exchange_strong(there, there - 1, memory_order_acquire, memory_order_relaxed);
    }
    SMUX_CPU_INLINE void acquire() {
        while (!try_acquire()) smux_cpu_yield();
    }
    template <class Time> SMUX_CPU_INLINE bool try_acquire_for(const Time &) {
        if (try_acquire()) return true;
        smux_cpu_yield();
        return try_acquire();
    }
    template <class Time> SMUX_CPU_INLINE bool try_acquire_until(const Time &until) { return try_acquire_for(until); }

private:
    atomic<ptrdiff_t, Scope> there_;
};
template <thread_scope Scope = thread_scope_system> using binary_semaphore = counting_semaphore<Scope, 1>;

namespace std {
using latch = ::cuda::latch<thread_scope_system>;
template <ptrdiff_t Most = INT_MAX> using counting_semaphore = ::cuda::counting_semaphore<thread_scope_system, Most>;
using binary_semaphore = counting_semaphore<1>;
}  // namespace std

}  // namespace cuda
