// cuda::pipeline. That of one thread waits for the thread's groups of copies. One shared by a group
// has two barriers for each stage: all producers have filled it, all consumers have emptied it.
#pragma once
#define _CUDA_PIPELINE  // as in atomic_objects.h
#include "smux_cpu/barrier_objects.h"

namespace cuda {

enum class pipeline_role { producer, consumer };

template <thread_scope Scope, unsigned char Stages> class pipeline_shared_state {
public:
    pipeline_shared_state() = default;
    barrier<Scope> smux_full[Stages], smux_empty[Stages];
};

template <thread_scope Scope> class pipeline {
public:
    using smux_awaits_copies = void;

    pipeline() = default;
    pipeline(barrier<Scope> *full, barrier<Scope> *empty, unsigned stages, bool produces, bool consumes)
        : full_(full), empty_(empty), stages_(stages), produces_(produces), consumes_(consumes) {}
    pipeline(pipeline &&) = default;
    pipeline &operator=(pipeline &&) = default;

    SMUX_CPU_INLINE void producer_acquire() {
        if (full_ && head_ >= stages_) empty_[head_ % stages_].smux_wait(head_ / stages_ - 1);
    }
    SMUX_CPU_INLINE void producer_commit() {
        if (full_) (void)full_[head_ % stages_].arrive();
        else smux_cpu_async_commit();
        head_++;
    }
    SMUX_CPU_INLINE void consumer_wait() {
        if (full_) full_[tail_ % stages_].smux_wait(tail_ / stages_);
        else if (tail_ < head_) smux_cpu_async_wait(head_ - ++tail_);
    }
    SMUX_CPU_INLINE void consumer_release() {
        if (!full_) return;  // a thread that has waited is through with its own
        (void)empty_[tail_ % stages_].arrive();
        tail_++;
    }
    template <class Duration> SMUX_CPU_INLINE bool consumer_wait_for(const Duration &) { return consumer_wait(), true; }
    template <class Time> SMUX_CPU_INLINE bool consumer_wait_until(const Time &) { return consumer_wait(), true; }
    // No more of this thread: the others go on without it.
    SMUX_CPU_INLINE bool quit() {
        for (unsigned i = 0; full_ && i < stages_; i++) {
            if (produces_) full_[i].arrive_and_drop();
            if (consumes_) empty_[i].arrive_and_drop();
        }
        full_ = nullptr;
        return true;
    }
    const void *smux_copies_to() const { return full_ ? &full_[head_ % stages_] : nullptr; }
    // All stages but the last `prior` are filled.
    SMUX_CPU_INLINE void smux_wait_prior(unsigned prior) {
        if (!full_) smux_cpu_async_wait(prior);
        for (unsigned i = tail_; full_ && i + prior < head_; i++) full_[i % stages_].smux_wait(i / stages_);
    }

private:
    barrier<Scope> *full_ = nullptr, *empty_ = nullptr;  // null: a thread's own
    unsigned stages_ = 1, head_ = 0, tail_ = 0;
    bool produces_ = true, consumes_ = true;
};

inline pipeline<thread_scope_thread> make_pipeline() { return {}; }

template <class Group, thread_scope Scope, unsigned char Stages>
SMUX_CPU_INLINE pipeline<Scope> smux_make_pipeline(const Group &group, pipeline_shared_state<Scope, Stages> *state, bool produces, bool consumes) {
    for (unsigned i = 0; i < Stages && group.thread_rank() == 0; i++) {
        init(&state->smux_full[i], 0);
        init(&state->smux_empty[i], 0);
    }
    group.sync();
    for (barrier<Scope> &b : state->smux_full)
        if (produces) b.smux_join();
    for (barrier<Scope> &b : state->smux_empty)
        if (consumes) b.smux_join();
    group.sync();
    return {state->smux_full, state->smux_empty, Stages, produces, consumes};
}
template <class Group, thread_scope Scope, unsigned char Stages>
SMUX_CPU_INLINE pipeline<Scope> make_pipeline(const Group &group, pipeline_shared_state<Scope, Stages> *state) {
    return smux_make_pipeline(group, state, true, true);
}
template <class Group, thread_scope Scope, unsigned char Stages>
SMUX_CPU_INLINE pipeline<Scope> make_pipeline(const Group &group, pipeline_shared_state<Scope, Stages> *state, size_t producers) {
    bool produces = group.thread_rank() < producers;
    return smux_make_pipeline(group, state, produces, !produces);
}
template <class Group, thread_scope Scope, unsigned char Stages>
SMUX_CPU_INLINE pipeline<Scope> make_pipeline(const Group &group, pipeline_shared_state<Scope, Stages> *state, pipeline_role role) {
    return smux_make_pipeline(group, state, role == pipeline_role::producer, role == pipeline_role::consumer);
}

template <unsigned char Prior, thread_scope Scope> SMUX_CPU_INLINE void pipeline_consumer_wait_prior(pipeline<Scope> &p) { p.smux_wait_prior(Prior); }
template <thread_scope Scope, thread_scope Other> SMUX_CPU_INLINE void pipeline_producer_commit(pipeline<Scope> &p, barrier<Other> &b) {
    smux_cpu_async_tie(&b);
    p.producer_commit();
}

}  // namespace cuda
