// cub::BlockStore: a block writes a tile, each thread its items.
#pragma once
#include "smux_cpu/names_begin.h"
#include "cub/block/block_load.cuh"

namespace cub {

enum BlockStoreAlgorithm {
    BLOCK_STORE_DIRECT,
    BLOCK_STORE_STRIPED,
    BLOCK_STORE_VECTORIZE,
    BLOCK_STORE_TRANSPOSE,
    BLOCK_STORE_WARP_TRANSPOSE,
    BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED
};

template <class T, int X, int Items, BlockStoreAlgorithm Algorithm = BLOCK_STORE_DIRECT, int Y = 1, int Z = 1, int Arch = 0> class BlockStore {
public:
    struct TempStorage {
        char unused;
    };
    BlockStore() {}
    BlockStore(TempStorage &) {}

    template <class Iterator> SMUX_CPU_INLINE void Store(Iterator tile, T (&items)[Items]) { Store(tile, items, X * Y * Z * Items); }
    template <class Iterator> SMUX_CPU_INLINE void Store(Iterator tile, T (&items)[Items], int valid) {
        for (int i = 0; i < Items; i++) {
            const int at = tile_position<X, Y, Z, Items>(Algorithm == BLOCK_STORE_STRIPED, i);
            if (at < valid) tile[at] = items[i];
        }
    }
};

}  // namespace cub
#include "smux_cpu/names_end.h"
