// cub::WarpScan: prefix sums over the lanes of a logical warp.
#pragma once
#include "smux_cpu/names_begin.h"
#include "cub/warp/warp_reduce.cuh"

namespace cub {

template <class T, int Threads = 32, int Arch = 0> class WarpScan {
public:
    struct TempStorage {
        char unused;
    };
    WarpScan(TempStorage &) {}

    template <class Operation> SMUX_CPU_INLINE void InclusiveScan(T input, T &output, Operation operation) {
        T aggregate;
        scan(input, output, aggregate, operation, true, nullptr);
    }
    template <class Operation> SMUX_CPU_INLINE void InclusiveScan(T input, T &output, Operation operation, T &aggregate) {
        scan(input, output, aggregate, operation, true, nullptr);
    }
    template <class Operation> SMUX_CPU_INLINE void ExclusiveScan(T input, T &output, Operation operation) {
        T aggregate;
        scan(input, output, aggregate, operation, false, nullptr);
    }
    template <class Operation> SMUX_CPU_INLINE void ExclusiveScan(T input, T &output, T initial, Operation operation) {
        T aggregate;
        scan(input, output, aggregate, operation, false, &initial);
    }
    template <class Operation> SMUX_CPU_INLINE void ExclusiveScan(T input, T &output, T initial, Operation operation, T &aggregate) {
        scan(input, output, aggregate, operation, false, &initial);
    }
    SMUX_CPU_INLINE void InclusiveSum(T input, T &output) { InclusiveScan(input, output, cub::Sum()); }
    SMUX_CPU_INLINE void InclusiveSum(T input, T &output, T &aggregate) { InclusiveScan(input, output, cub::Sum(), aggregate); }
    SMUX_CPU_INLINE void ExclusiveSum(T input, T &output) { ExclusiveScan(input, output, T(0), cub::Sum()); }
    SMUX_CPU_INLINE void ExclusiveSum(T input, T &output, T &aggregate) { ExclusiveScan(input, output, T(0), cub::Sum(), aggregate); }
    SMUX_CPU_INLINE T Broadcast(T input, unsigned source) {
        return smux_cpu::exchange(logical_warp<Threads>(), smux_cpu::warp_shuffle, input).of(smux_cpu::lane() / Threads * Threads + source);
    }

private:
    // Without an initial value, the first lane's exclusive result is left alone. The aggregate is without it.
    template <class Operation> SMUX_CPU_INLINE void scan(T input, T &output, T &aggregate, Operation operation, bool inclusive, const T *initial) {
        const smux_cpu::exchanged<T> all = smux_cpu::exchange(logical_warp<Threads>(), smux_cpu::warp_reduce, input);
        const unsigned self = smux_cpu::lane(), first = self / Threads * Threads;
        T total = all.of(first), before = initial ? *initial : total;
        bool any = initial != nullptr;
        for (unsigned lane = first; lane < first + Threads && all.has(lane); lane++) {
            if (lane == self && !inclusive && any) output = before;
            before = any ? operation(before, all.of(lane)) : all.of(lane);
            any = true;
            if (lane == self && inclusive) output = before;
            if (lane > first) total = operation(total, all.of(lane));
        }
        aggregate = total;
    }
};

}  // namespace cub
#include "smux_cpu/names_end.h"
