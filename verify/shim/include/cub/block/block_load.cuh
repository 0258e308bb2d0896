// cub::BlockLoad: a block reads a tile, each thread its items. How the accesses are spread over the threads, the
// algorithm's point on a device, makes no difference to what the threads get, except for the striped one.
#pragma once
#include "smux_cpu/names_begin.h"
#include "cub/util_type.cuh"

namespace cub {

enum BlockLoadAlgorithm {
    BLOCK_LOAD_DIRECT,
    BLOCK_LOAD_STRIPED,
    BLOCK_LOAD_VECTORIZE,
    BLOCK_LOAD_TRANSPOSE,
    BLOCK_LOAD_WARP_TRANSPOSE,
    BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED
};

// Where item i of a thread is in its block's tile.
template <int X, int Y, int Z, int Items> int tile_position(bool striped, int i) {
    const int self = thread_number<X, Y, Z>();
    return striped ? i * (X * Y * Z) + self : self * Items + i;
}

template <class T, int X, int Items, BlockLoadAlgorithm Algorithm = BLOCK_LOAD_DIRECT, int Y = 1, int Z = 1, int Arch = 0> class BlockLoad {
public:
    struct TempStorage {
        char unused;
    };
    BlockLoad() {}
    BlockLoad(TempStorage &) {}

    template <class Iterator> SMUX_CPU_INLINE void Load(Iterator tile, T (&items)[Items]) { Load(tile, items, X * Y * Z * Items); }
    // Items that lie beyond `valid` stay as they are, or become `otherwise`.
    template <class Iterator> SMUX_CPU_INLINE void Load(Iterator tile, T (&items)[Items], int valid) {
        for (int i = 0; i < Items; i++) {
            const int at = tile_position<X, Y, Z, Items>(Algorithm == BLOCK_LOAD_STRIPED, i);
            if (at < valid) items[i] = tile[at];
        }
    }
    template <class Iterator, class D> SMUX_CPU_INLINE void Load(Iterator tile, T (&items)[Items], int valid, D otherwise) {
        for (T &item : items) item = otherwise;
        Load(tile, items, valid);
    }
};

}  // namespace cub
#include "smux_cpu/names_end.h"
