// Inside the checker: order by atomics and fences, as PTX's memory model has it (PTX ISA, "Memory Consistency Model").
//
// A write that releases, by itself or after a fence of its thread, tells what the thread did and knows; a read that acquires,
// by itself or before a fence, hears what was told by the write that it reads from, and by the atomic updates before that one.
// Both only where the scopes hold each other's threads. CUDA's own atomic functions are relaxed, as are volatile accesses to
// device memory: without a fence they order nothing. Each thread hears for itself, until it meets others.
//
// More is taken as ordered in two places, since right programs rest on them. A barrier counts as the reader's fence:
// __threadfence(); if (thread 0) last = atomicInc(…) == …; __syncthreads(); if (last) … And a fence counts for all whom its
// thread meets after it: __threadfence(); __syncthreads(); if (thread 0) atomicInc(…).
// Modelled: `volatile` | relaxed, of the system's scope | elements of shared arrays are plain
#pragma once
#include <cstdint>

#include "check.h"
#include "check_clock.h"

namespace smux_cpu {
namespace check {

void begin_sync();  // a new launch, or all blocks have met: nothing before matters
bool news_were_forgotten();  // in this launch there were too many, so that races go unseen
extern bool any_news;  // has anything been told, or fenced, since?
void strong_access(const void *address, manner how, bool between_blocks);
news join(const news &a, const news &b);
// Has the running thread heard of what thread `rank` of a block did?
bool heard_of(uint32_t stamp, unsigned rank, uint32_t tick);
// Threads of the running block are about to meet: what each has fenced counts for all of them.
void meet_fences(const unsigned *waiters, size_t waiting, meeting how);
// Is this word a flag, so that a volatile read of it is in no race with a volatile write? Somebody waits for it in a loop, or
// the write was made after a fence that counts for the reader. by_me: the running thread is about to write it.
bool is_flag(const void *address, bool by_me, bool same_block);
// Has the running thread heard what that thread told by this word, so that it comes after that write as well?
bool heard_by_word(const void *address, uint32_t stamp, unsigned rank);
bool is_waited_for(const void *address);
// What a thread of the host has heard of kernels that it has not waited for, by words that they write and it reads, both of the
// system's scope.
struct host_news {
    news heard;
    uint32_t before = 0;      // and all until then
    bool forgotten = false;   // there was too much news
    bool is_none() const { return !heard && before == 0 && !forgotten; }
    void add(const host_news &more);
    bool holds(mark m) const;
};
void tell_of_grid();  // a fence of the system before all blocks met counts for each thread of the running block
void host_hears(const void *address, host_news &to);
void forget_host_news();  // the host has waited for all
void waits_for(const void *address);

}  // namespace check
}  // namespace smux_cpu
