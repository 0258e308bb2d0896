// Groups of lanes of one warp: tiles, which are aligned and of a power of two, and coalesced lanes.
#pragma once
#include "smux_cpu/groups/block.h"

namespace cooperative_groups {
namespace details {

// What tiles and coalesced groups have in common. Ranks count the lanes of the mask upwards.
class lane_group : public thread_group {
public:
    SMUX_CPU_INLINE void sync() const { smux_cpu_warp(lanes_, smux_cpu::warp_sync, nullptr, 0); }
    unsigned meta_group_size() const { return groups_; }
    unsigned meta_group_rank() const { return number_; }

    template <class T> SMUX_CPU_INLINE T shfl(T value, int rank) const {
        unsigned source = unsigned(rank) % thread_group::size();
        return from(smux_cpu::warp_shuffle, value, source, true);
    }
    template <class T> SMUX_CPU_INLINE T shfl_up(T value, unsigned delta) const {
        unsigned rank = thread_group::thread_rank();
        return from(smux_cpu::warp_shuffle_up, value, rank - delta, delta <= rank);
    }
    template <class T> SMUX_CPU_INLINE T shfl_down(T value, unsigned delta) const {
        unsigned rank = thread_group::thread_rank();
        return from(smux_cpu::warp_shuffle_down, value, rank + delta, delta < thread_group::size() - rank);
    }
    template <class T> SMUX_CPU_INLINE T shfl_xor(T value, unsigned bits) const {
        unsigned source = thread_group::thread_rank() ^ bits;
        return from(smux_cpu::warp_shuffle_xor, value, source, source < thread_group::size());
    }

    SMUX_CPU_INLINE int any(int predicate) const { return smux_cpu::vote(lanes_, predicate != 0) != 0; }
    SMUX_CPU_INLINE int all(int predicate) const { return smux_cpu::vote(lanes_, predicate == 0) == 0; }
    SMUX_CPU_INLINE unsigned ballot(int predicate) const { return ranks(smux_cpu::vote(lanes_, predicate != 0)); }
    template <class T> SMUX_CPU_INLINE unsigned match_any(T value) const {
        return ranks(smux_cpu::exchange(lanes_, smux_cpu::warp_match, value).equal_to(value));
    }
    template <class T> SMUX_CPU_INLINE unsigned match_all(T value, int &all) const {
        smux_cpu::exchanged<T> e = smux_cpu::exchange(lanes_, smux_cpu::warp_match, value);
        all = e.equal_to(value) == e.members();
        return all ? ranks(lanes_) : 0;
    }

protected:
    lane_group(unsigned lanes, unsigned number, unsigned groups) : thread_group(lanes), number_(number), groups_(groups) {}

private:
    unsigned number_, groups_;  // which of how many groups of its parent

    template <class T> SMUX_CPU_INLINE T from(int kind, const T &value, unsigned rank, bool inside) const {
        smux_cpu::exchanged<T> e = smux_cpu::exchange(lanes_, kind, value);
        return inside ? e.from(lanes_, nth_lane(lanes_, rank), value) : value;
    }
    // From a mask of lanes to one of ranks.
    unsigned ranks(unsigned lanes) const {
        unsigned result = 0, rank = 0;
        for (unsigned left = lanes_; left; left &= left - 1, rank++)
            if (lanes & left & -left) result |= 1u << rank;
        return result;
    }
};

}  // namespace details

class coalesced_group : public details::lane_group {
public:
    explicit coalesced_group(unsigned lanes, unsigned number = 0, unsigned groups = 1)
        : lane_group(lanes, number, groups) {}
};

// The lanes that run together here.
SMUX_CPU_INLINE coalesced_group coalesced_threads() { return coalesced_group(smux_cpu_active_lanes()); }

template <unsigned Size, class Parent = void> class thread_block_tile : public details::lane_group {
    static_assert(Size > 0 && (Size & (Size - 1)) == 0, "a tile has a power of two of threads");
    static_assert(Size <= 32, "tiles larger than a warp are in wide_tile.h");

public:
    explicit thread_block_tile(unsigned parent_size) : lane_group(mask(), 0, 0), parent_size_(parent_size) {}
    template <class Other> thread_block_tile(const thread_block_tile<Size, Other> &other)
        : lane_group(other.smux_lanes(), 0, 0), parent_size_(other.smux_parent_size()) {}
    static constexpr unsigned size() { return Size; }
    static constexpr unsigned num_threads() { return Size; }
    static unsigned thread_rank() { return smux_cpu_rank() % Size; }
    unsigned meta_group_size() const { return (parent_size_ + Size - 1) / Size; }
    unsigned meta_group_rank() const { return smux_cpu_rank() % whole_parent() / Size; }
    unsigned smux_parent_size() const { return parent_size_; }

private:
    unsigned parent_size_;
    // Only a parent that is a tile begins again with every tile.
    unsigned whole_parent() const { return std::is_void<Parent>::value ? 1u << 31 : parent_size_; }
    static unsigned mask() {
        unsigned first = smux_cpu::lane() & ~(Size - 1);
        return (Size == 32 ? ~0u : (1u << Size % 32) - 1) << first;
    }
};

// The calling thread alone.
inline thread_block_tile<1> this_thread() { return thread_block_tile<1>(1); }

}  // namespace cooperative_groups
