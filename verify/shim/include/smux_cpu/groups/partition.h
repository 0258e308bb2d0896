// Groups made of groups.
#pragma once
#include "smux_cpu/groups/lanes.h"
#include "smux_cpu/groups/wide_tile.h"

namespace cooperative_groups {

template <unsigned Size> SMUX_CPU_INLINE thread_block_tile<Size> tiled_partition(const thread_block &block) {
    if constexpr (Size <= 32) return thread_block_tile<Size>(block.size());
    else return thread_block_tile<Size>(block);
}
template <unsigned Size, unsigned ParentSize, class Above>
SMUX_CPU_INLINE thread_block_tile<Size, thread_block_tile<ParentSize, void>>
tiled_partition(const thread_block_tile<ParentSize, Above> &) {
    static_assert(Size <= ParentSize, "a tile is no larger than what it is a part of");
    return thread_block_tile<Size, thread_block_tile<ParentSize, void>>(ParentSize);
}

// With a size known only at run time: runs of `size` ranks of the parent, the last one maybe shorter.
inline coalesced_group tiled_partition(const thread_group &parent, unsigned size) {
    unsigned mine = parent.thread_rank() / size, lanes = 0;
    unsigned of = parent.smux_lanes();
    if (of == 0) {
        unsigned warp = smux_cpu_rank() & ~31u;  // tiles of a block don't cross warps: size divides 32
        for (unsigned l = 0; l < 32; l++)
            if ((warp + l) / size == mine && warp + l < parent.size()) lanes |= 1u << l;
    } else {
        for (unsigned rank = mine * size; rank < (mine + 1) * size && rank < parent.size(); rank++)
            lanes |= 1u << details::nth_lane(of, rank);
    }
    return coalesced_group(lanes, mine, (parent.size() + size - 1) / size);
}

// Lanes of the same label form a group; groups are numbered in the order of their first lanes.
template <class Label> SMUX_CPU_INLINE coalesced_group labeled_partition(const details::lane_group &parent, Label label) {
    smux_cpu::exchanged<Label> e = smux_cpu::exchange(parent.smux_lanes(), smux_cpu::warp_match, label);
    unsigned mine = e.equal_to(label), number = 0, groups = 0;
    for (unsigned left = e.members(); left != 0; groups++) {
        unsigned same = e.equal_to(e.of(unsigned(__builtin_ctz(left))));
        if (same == mine) number = groups;
        left &= ~same;
    }
    return coalesced_group(mine, number, groups);
}
SMUX_CPU_INLINE coalesced_group binary_partition(const details::lane_group &parent, bool predicate) {
    return labeled_partition(parent, predicate);
}

}  // namespace cooperative_groups
