// The group of all threads of a cooperative launch.
#pragma once
#include "smux_cpu/groups/block.h"

namespace cooperative_groups {

class grid_group {
public:
    SMUX_CPU_INLINE void sync() const { smux_cpu_grid_sync(); }
    bool is_valid() const { return true; }
    static unsigned long long num_blocks() { return 1ull * gridDim.x * gridDim.y * gridDim.z; }
    static unsigned long long block_rank() {
        return (1ull * blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    }
    static unsigned long long num_threads() { return num_blocks() * details::block_size(); }
    static unsigned long long size() { return num_threads(); }
    static unsigned long long thread_rank() { return block_rank() * details::block_size() + smux_cpu_rank(); }
    static dim3 dim_blocks() { return gridDim; }
    static dim3 group_dim() { return gridDim; }
    static dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }

    struct arrival_token {};
    static arrival_token barrier_arrive() { return {}; }
    SMUX_CPU_INLINE void barrier_wait(arrival_token &&) const { sync(); }
};

// Blocks run one after another, so none can look into another's shared memory.
class cluster_group {
public:
    void sync() const {}
    void barrier_arrive() const {}
    void barrier_wait() const {}
    static unsigned block_rank() { return 0; }
    static unsigned thread_rank() { return 0; }
    static unsigned num_blocks() { return 1; }
    static unsigned num_threads() { return 1; }
    static dim3 block_index() { return dim3(0, 0, 0); }
    static dim3 dim_blocks() { return dim3(1, 1, 1); }
    static unsigned query_shared_rank(const void *) { return 0; }
    template <class T> static T *map_shared_rank(T *p, unsigned) { return p; }
};
SMUX_CPU_INLINE cluster_group this_cluster() { smux_cpu_not_supported("cooperative_groups::this_cluster"); }

inline grid_group this_grid() { return grid_group(); }

}  // namespace cooperative_groups
