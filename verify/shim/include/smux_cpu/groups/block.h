// The group of a block's threads, and the handle that can stand for any group inside a block.
#pragma once
#include "smux_cpu/exchange.h"
#include "smux_cpu/sync.h"

namespace cooperative_groups {
namespace details {

SMUX_CPU_INLINE unsigned block_size() { return blockDim.x * blockDim.y * blockDim.z; }
// The lane of the n-th set bit of a mask.
inline unsigned nth_lane(unsigned mask, unsigned n) {
    while (n-- > 0 && mask != 0) mask &= mask - 1;
    return mask ? unsigned(__builtin_ctz(mask)) : 32;
}

}  // namespace details

// Any group of threads of one block: all of it, or lanes of a warp.
class thread_group {
public:
    SMUX_CPU_INLINE void sync() const {
        if (lanes_) smux_cpu_warp(lanes_, smux_cpu::warp_sync, nullptr, 0);
        else smux_cpu_barrier_sync(0, 0);
    }
    unsigned size() const { return lanes_ ? unsigned(__builtin_popcount(lanes_)) : details::block_size(); }
    unsigned num_threads() const { return size(); }
    unsigned thread_rank() const {
        unsigned rank = smux_cpu_rank();
        return lanes_ ? unsigned(__builtin_popcount(lanes_ & ((1u << rank % 32) - 1))) : rank;
    }
    bool is_valid() const { return true; }
    unsigned smux_lanes() const { return lanes_; }  // 0: the block

protected:
    explicit thread_group(unsigned lanes) : lanes_(lanes) {}
    unsigned lanes_;
};

class thread_block : public thread_group {
public:
    explicit thread_block(void *memory = nullptr) : thread_group(0), memory_(memory) {}
    void *smux_memory() const { return memory_; }  // what tiles of several warps use, null where there are none
    SMUX_CPU_INLINE static void sync() { smux_cpu_barrier_sync(0, 0); }
    static unsigned size() { return details::block_size(); }
    static unsigned num_threads() { return size(); }
    static unsigned thread_rank() { return smux_cpu_rank(); }
    static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
    static dim3 group_dim() { return blockDim; }
    static dim3 dim_threads() { return blockDim; }

    // In two steps: arriving does nothing yet, waiting does both.
    struct arrival_token {};
    static arrival_token barrier_arrive() { return {}; }
    SMUX_CPU_INLINE static void barrier_wait(arrival_token &&) { sync(); }

private:
    void *memory_;
};

inline thread_block this_thread_block() { return thread_block(); }

template <class Group> SMUX_CPU_INLINE void sync(const Group &group) { group.sync(); }
template <class Group> SMUX_CPU_INLINE void synchronize(const Group &group) { group.sync(); }  // its name in CUDA 9
template <class Group> SMUX_CPU_INLINE unsigned thread_rank(const Group &group) { return unsigned(group.thread_rank()); }
template <class Group> SMUX_CPU_INLINE unsigned group_size(const Group &group) { return unsigned(group.size()); }


}  // namespace cooperative_groups
