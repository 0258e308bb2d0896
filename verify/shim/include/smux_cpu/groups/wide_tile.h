// Tiles of several warps, and the memory that they exchange values through.
#pragma once
#include <cstring>

#include "smux_cpu/atomics.h"
#include "smux_cpu/groups/block.h"
#include "smux_cpu/groups/lanes.h"
#include "smux_cpu/groups/reduce.h"

namespace cooperative_groups {
namespace details {

constexpr unsigned most_wide_tiles = 1024 / 64, slot_bytes = 16;

struct wide_tile_memory {
    unsigned phase[most_wide_tiles], arrived[most_wide_tiles];
};

}  // namespace details

template <unsigned MaxBlockSize = 1024> struct block_tile_memory {
    details::wide_tile_memory smux_meetings;
    alignas(details::slot_bytes) unsigned char smux_slots[MaxBlockSize][details::slot_bytes];
};

// All threads of the block call it, as in CUDA.
template <unsigned MaxBlockSize> SMUX_CPU_INLINE thread_block this_thread_block(block_tile_memory<MaxBlockSize> &memory) {
    if (smux_cpu_rank() == 0) memory.smux_meetings = details::wide_tile_memory();
    smux_cpu_barrier_sync(0, 0);
    return thread_block(&memory);
}

namespace details {

template <unsigned Size> class wide_tile {
public:
    explicit wide_tile(const thread_block &block) : memory_(static_cast<block_tile_memory<1024> *>(block.smux_memory())) {
        if (!memory_) smux_cpu_not_supported("a tile larger than a warp of a block without block_tile_memory");
    }
    static unsigned size() { return Size < block_size() ? Size : block_size(); }
    static unsigned num_threads() { return size(); }
    static unsigned thread_rank() { return smux_cpu_rank() % Size; }
    static unsigned meta_group_size() { return (block_size() + Size - 1) / Size; }
    static unsigned meta_group_rank() { return smux_cpu_rank() / Size; }
    bool is_valid() const { return true; }

    // An atomic word counts the meetings, so that the checks know what is ordered by them.
    SMUX_CPU_INLINE void sync() const {
        unsigned *phase = &memory_->smux_meetings.phase[meta_group_rank()], *arrived = &memory_->smux_meetings.arrived[meta_group_rank()];
        smux_cpu_atomic(phase, sizeof *phase, 'w', smux_cpu::ordering::acq_rel);
        const unsigned now = smux_cpu::atomic_load(phase), count = smux_cpu::atomic_load(arrived) + 1;
        smux_cpu::atomic_store(arrived, count % size());
        if (count == size()) return smux_cpu::atomic_store(phase, now + 1);
        do {
            smux_cpu_yield();
            smux_cpu_atomic(phase, sizeof *phase, 'r', smux_cpu::ordering::acquire);
        } while (smux_cpu::atomic_load(phase) == now);
    }

    // What the thread of a rank gives.
    template <class T> SMUX_CPU_INLINE T shfl(T value, unsigned rank) const {
        give(value);
        T result = given<T>(rank % size());
        sync();
        return result;
    }
    template <class T, class Operation> SMUX_CPU_INLINE T smux_reduce(T value, Operation operation) const {
        give(value);
        T result = given<T>(0);
        for (unsigned rank = 1; rank < size(); rank++) result = operation(result, given<T>(rank));
        sync();
        return result;
    }
    SMUX_CPU_INLINE bool any(int predicate) const { return smux_reduce(predicate != 0, folds::operators::bit_or<bool>()); }
    SMUX_CPU_INLINE bool all(int predicate) const { return smux_reduce(predicate != 0, folds::operators::bit_and<bool>()); }

private:
    block_tile_memory<1024> *memory_;  // maybe of less

    template <class T> SMUX_CPU_INLINE void give(const T &value) const {
        static_assert(sizeof(T) <= slot_bytes, "smux: not supported: values of more than 16 bytes in tiles larger than a warp");
        memcpy(memory_->smux_slots[smux_cpu_rank()], &value, sizeof value);
        sync();
    }
    template <class T> SMUX_CPU_INLINE T given(unsigned rank) const {
        T value;
        memcpy(&value, memory_->smux_slots[meta_group_rank() * Size + rank], sizeof value);
        return value;
    }
};

}  // namespace details

#define SMUX_CPU_WIDE_TILE(n)                                                                 \
    template <> class thread_block_tile<n, void> : public details::wide_tile<n> {             \
    public:                                                                                   \
        using wide_tile::wide_tile;                                                           \
    };                                                                                        \
    namespace folds {                                                                         \
    template <class T, class Operation>                                                       \
    SMUX_CPU_INLINE T reduce(const thread_block_tile<n> &tile, T value, Operation operation) { \
        return tile.smux_reduce(value, operation);                                            \
    }                                                                                         \
    }
SMUX_CPU_WIDE_TILE(64)
SMUX_CPU_WIDE_TILE(128)
SMUX_CPU_WIDE_TILE(256)
SMUX_CPU_WIDE_TILE(512)
#undef SMUX_CPU_WIDE_TILE

}  // namespace cooperative_groups
