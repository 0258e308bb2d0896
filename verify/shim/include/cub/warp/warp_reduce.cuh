// cub::WarpReduce: the result is that of the first lane of each logical warp. Here all its lanes get it.
#pragma once
#include "smux_cpu/names_begin.h"
#include "cub/thread/thread_operators.cuh"
#include "smux_cpu/exchange.h"

namespace cub {

// The lanes of the logical warp of `Threads` lanes that the caller is in.
template <int Threads> unsigned logical_warp() {
    const unsigned first = smux_cpu::lane() / Threads * Threads;
    return Threads == 32 ? 0xffffffffu : ((1u << (Threads & 31)) - 1) << first;
}

template <class T, int Threads = 32, int Arch = 0> class WarpReduce {
public:
    struct TempStorage {
        char unused;
    };
    WarpReduce(TempStorage &) {}

    template <class Operation> SMUX_CPU_INLINE T Reduce(T input, Operation operation) {
        const smux_cpu::exchanged<T> all = smux_cpu::exchange(logical_warp<Threads>(), smux_cpu::warp_reduce, input);
        return all.made_of(logical_warp<Threads>(), logical_warp<Threads>(), all.fold(operation));
    }
    // Only the first `valid` lanes count.
    template <class Operation> SMUX_CPU_INLINE T Reduce(T input, Operation operation, int valid) {
        smux_cpu::exchanged<T> all = smux_cpu::exchange(logical_warp<Threads>(), smux_cpu::warp_reduce, input);
        if (valid < Threads) all.all.members &= ((1u << valid) - 1) << (smux_cpu::lane() / Threads * Threads);
        return all.members() ? all.fold(operation) : input;
    }
    SMUX_CPU_INLINE T Sum(T input) { return Reduce(input, cub::Sum()); }
    SMUX_CPU_INLINE T Sum(T input, int valid) { return Reduce(input, cub::Sum(), valid); }
};

}  // namespace cub
#include "smux_cpu/names_end.h"
