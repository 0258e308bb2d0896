// cuda::barrier: a word that counts phases, and waiting for it. What all did before they arrived is known to those
// who waited, since the race detector takes the word for an atomic. Threads that wait for ever are found as
// spinning.
#pragma once
#define _CUDA_BARRIER  // as in atomic_objects.h
#include <new>

#include "smux_cpu/async_copies.h"
#include "smux_cpu/atomic_objects.h"

namespace cuda {

struct smux_no_completion {
    void operator()() {}
};

template <thread_scope Scope, class Completion = smux_no_completion> class barrier {
public:
    using arrival_token = unsigned;
    using smux_awaits_copies = void;

    barrier() = default;
    barrier(ptrdiff_t expected, Completion completion = Completion())
        : phase_(0), expected_(unsigned(expected)), pending_(unsigned(expected)), completion_(completion) {}
    barrier(const barrier &) = delete;
    barrier &operator=(const barrier &) = delete;
    friend void init(barrier *b, ptrdiff_t expected) { new (b) barrier(expected); }
    friend void init(barrier *b, ptrdiff_t expected, Completion completion) { new (b) barrier(expected, completion); }
    static constexpr ptrdiff_t max() { return (1 << 20) - 1; }

    [[nodiscard]] SMUX_CPU_INLINE arrival_token arrive(ptrdiff_t count = 1) {
        smux_cpu_atomic(&phase_, sizeof phase_, 'w', smux::ordered(memory_order_acq_rel, Scope));
        return advance(unsigned(count));
    }
    SMUX_CPU_INLINE void wait(arrival_token &&token) const { smux_wait(token); }
    SMUX_CPU_INLINE void wait(const arrival_token &token) const { smux_wait(token); }
    SMUX_CPU_INLINE void arrive_and_wait() { smux_wait(arrive()); }
    SMUX_CPU_INLINE void arrive_and_drop() {
        smux_cpu_atomic(&phase_, sizeof phase_, 'w', smux::ordered(memory_order_acq_rel, Scope));
        smux_cpu::atomic_store(&expected_, smux_cpu::atomic_load(&expected_) - 1);
        advance(1);
    }
    SMUX_CPU_INLINE bool try_wait(const arrival_token &token) const {
        smux_cpu_atomic(&phase_, sizeof phase_, 'r', smux::ordered(memory_order_acquire, Scope));
        return smux_cpu::atomic_load(&phase_) != token;
    }
    SMUX_CPU_INLINE void wait_parity(bool parity) const {
        while (try_wait_parity(parity) == false) smux_cpu_yield();
    }
    SMUX_CPU_INLINE bool try_wait_parity(bool parity) const {
        smux_cpu_atomic(&phase_, sizeof phase_, 'r', smux::ordered(memory_order_acquire, Scope));
        return (smux_cpu::atomic_load(&phase_) & 1) != unsigned(parity);
    }

    const void *smux_copies_to() const { return this; }
    // For pipelines: one participant more, and the wait for the end of a phase by its number.
    SMUX_CPU_INLINE void smux_join() {
        smux_cpu_atomic(&phase_, sizeof phase_, 'w', smux::ordered(memory_order_acq_rel, Scope));
        smux_cpu::atomic_store(&expected_, smux_cpu::atomic_load(&expected_) + 1);
        smux_cpu::atomic_store(&pending_, smux_cpu::atomic_load(&pending_) + 1);
    }
    SMUX_CPU_INLINE void smux_wait(unsigned phase) const {
        for (;;) {
            smux_cpu_atomic(&phase_, sizeof phase_, 'r', smux::ordered(memory_order_acquire, Scope));
            if (int(smux_cpu::atomic_load(&phase_) - phase) > 0) return;
            smux_cpu_yield();
        }
    }

private:
    // The arrival itself, in which no other thread runs.
    SMUX_CPU_INLINE unsigned advance(unsigned count) {
        unsigned phase = smux_cpu::atomic_load(&phase_), left = smux_cpu::atomic_load(&pending_) - count;
        if (left == 0) {
            smux_cpu_async_arrived(this);
            completion_();
            left = smux_cpu::atomic_load(&expected_);
            smux_cpu::atomic_store(&phase_, phase + 1);
        }
        smux_cpu::atomic_store(&pending_, left);
        return phase;
    }

    unsigned phase_, expected_, pending_;  // pending_: arrivals that this phase still waits for
    Completion completion_;
};

namespace std {
template <class Completion = ::cuda::smux_no_completion> using barrier = ::cuda::barrier<thread_scope_system, Completion>;
}

}  // namespace cuda
