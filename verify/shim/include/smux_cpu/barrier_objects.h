// cuda::barrier, which is an mbarrier, and copies that wait at one.
#pragma once
#define _CUDA_BARRIER  // as in atomic_objects.h
#include <new>

#include "smux_cpu/async_copies.h"
#include "smux_cpu/atomic_objects.h"
#include "smux_cpu/mbarrier.h"

namespace cuda {

struct smux_no_completion {
    void operator()() {}
};

template <thread_scope Scope, class Completion = smux_no_completion> class barrier {
public:
    using arrival_token = smux_cpu::mbarrier::word;
    using smux_awaits_copies = void;

    barrier() = default;
    barrier(ptrdiff_t expected, Completion completion = Completion())
        : word_(smux_cpu::mbarrier::packed({0, unsigned(expected), unsigned(expected), 0})), completion_(completion) {}
    barrier(const barrier &) = delete;
    barrier &operator=(const barrier &) = delete;
    friend void init(barrier *b, ptrdiff_t expected) { new (b) barrier(expected); }
    friend void init(barrier *b, ptrdiff_t expected, Completion completion) { new (b) barrier(expected, completion); }
    static constexpr ptrdiff_t max() { return smux_cpu::mbarrier::most_arrivals; }

    [[nodiscard]] SMUX_CPU_INLINE arrival_token arrive(ptrdiff_t count = 1) { return smux_change(0, unsigned(count), 0); }
    SMUX_CPU_INLINE void wait(const arrival_token &token) const {
        while (!try_wait(token)) smux_cpu_yield();
    }
    SMUX_CPU_INLINE void arrive_and_wait() { wait(arrive()); }
    SMUX_CPU_INLINE void arrive_and_drop() { smux_change(1, 1, 0); }
    SMUX_CPU_INLINE bool try_wait(const arrival_token &token) const { return smux_cpu::mbarrier::ended(&word_, smux_acquires, token); }
    SMUX_CPU_INLINE void wait_parity(bool parity) const {
        while (!try_wait_parity(parity)) smux_cpu_yield();
    }
    SMUX_CPU_INLINE bool try_wait_parity(bool parity) const { return smux_cpu::mbarrier::parity_ended(&word_, smux_acquires, parity); }

    const void *smux_copies_to() const { return this; }
    smux_cpu::mbarrier::word *smux_word() { return &word_; }
    SMUX_CPU_INLINE arrival_token smux_change(unsigned fewer, unsigned arrivals, long long bytes) {
        return smux_cpu::mbarrier::change(&word_, smux::ordered(memory_order_acq_rel, Scope), fewer, arrivals, bytes, completion_);
    }
    // For pipelines: one participant more, and the wait for the end of a phase by its number.
    SMUX_CPU_INLINE void smux_join() {
        smux_cpu_atomic(&word_, sizeof word_, 'w', smux::ordered(memory_order_acq_rel, Scope));
        smux_cpu::mbarrier::state s = smux_cpu::mbarrier::unpacked(smux_cpu::atomic_load(&word_));
        s.expected++;
        s.pending++;
        smux_cpu::atomic_store(&word_, smux_cpu::mbarrier::packed(s));
    }
    SMUX_CPU_INLINE void smux_wait(unsigned phase) const {
        while (((smux_cpu::mbarrier::phase(&word_, smux_acquires) - phase - 1) & 7) >= 4) smux_cpu_yield();
    }

private:
    static constexpr int smux_acquires = smux::ordered(memory_order_acquire, Scope);
    smux_cpu::mbarrier::word word_;
    [[no_unique_address]] Completion completion_;
};

namespace std {
template <class Completion = ::cuda::smux_no_completion> using barrier = ::cuda::barrier<thread_scope_system, Completion>;
}

namespace device {

SMUX_CPU_INLINE unsigned long long *barrier_native_handle(barrier<thread_scope_block> &b) { return b.smux_word(); }
[[nodiscard]] SMUX_CPU_INLINE barrier<thread_scope_block>::arrival_token barrier_arrive_tx(barrier<thread_scope_block> &b, ptrdiff_t count, ptrdiff_t bytes) {
    return b.smux_change(0, unsigned(count), bytes);
}
SMUX_CPU_INLINE void barrier_expect_tx(barrier<thread_scope_block> &b, ptrdiff_t bytes) { b.smux_change(0, 0, bytes); }
template <class T, size_t Alignment>
SMUX_CPU_INLINE void memcpy_async_tx(T *to, const T *from, aligned_size_t<Alignment> size, barrier<thread_scope_block> &b) {
    smux_cpu::mbarrier::bulk_load(to, from, unsigned(size), b.smux_word());
}

namespace experimental {
SMUX_CPU_INLINE void cp_async_bulk_global_to_shared(void *to, const void *from, unsigned bytes, barrier<thread_scope_block> &b) {
    smux_cpu::mbarrier::bulk_load(to, from, bytes, b.smux_word());
}
SMUX_CPU_INLINE void cp_async_bulk_shared_to_global(void *to, const void *from, unsigned bytes) { smux_cpu_bulk_copy(to, from, bytes, nullptr); }
SMUX_CPU_INLINE void cp_async_bulk_commit_group() { smux_cpu_bulk_commit(); }
template <int Prior> SMUX_CPU_INLINE void cp_async_bulk_wait_group_read() { smux_cpu_bulk_wait(Prior); }
SMUX_CPU_INLINE void fence_proxy_async_shared_cta() { smux_cpu_fence(smux_cpu::ordering::relaxed); }
}  // namespace experimental

}  // namespace device

}  // namespace cuda
