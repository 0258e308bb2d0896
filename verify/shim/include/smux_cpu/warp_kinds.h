// The kinds of operations in which the lanes of a warp meet. Lanes that meet in different ones are a finding.
#pragma once

namespace smux_cpu {

enum warp_kind { warp_sync, warp_shuffle, warp_shuffle_up, warp_shuffle_down, warp_shuffle_xor, warp_vote, warp_match, warp_reduce,
                 warp_matrix_load, warp_matrix_store, warp_matrix_move, warp_multiply };

// Of the whole warp, at one place. They order no accesses to memory.
constexpr bool is_of_matrices(int kind) { return kind >= warp_matrix_load; }

// What a lane brings, at most: both factors of a product.
constexpr unsigned most_exchanged = 96;

inline const char *warp_kind_name(int kind) {
    switch (kind) {
    case warp_sync: return "__syncwarp";
    case warp_shuffle: return "__shfl_sync";
    case warp_shuffle_up: return "__shfl_up_sync";
    case warp_shuffle_down: return "__shfl_down_sync";
    case warp_shuffle_xor: return "__shfl_xor_sync";
    case warp_vote: return "vote";
    case warp_match: return "match";
    case warp_reduce: return "__reduce_sync";
    case warp_matrix_load: return "load of a matrix";
    case warp_matrix_store: return "store of a matrix";
    case warp_matrix_move: return "movmatrix";
    case warp_multiply: return "product of matrices";
    }
    return "warp operation";
}

}  // namespace smux_cpu
