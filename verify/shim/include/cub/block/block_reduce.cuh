// cub::BlockReduce: the result is that of thread 0; the others get back what they gave.
#pragma once
#include "smux_cpu/names_begin.h"
#include "cub/thread/thread_operators.cuh"
#include "smux_cpu/sync.h"

namespace cub {

enum BlockReduceAlgorithm { BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, BLOCK_REDUCE_RAKING, BLOCK_REDUCE_WARP_REDUCTIONS };

template <class T, int X, BlockReduceAlgorithm Algorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int Y = 1, int Z = 1, int Arch = 0> class BlockReduce {
    static constexpr int threads = X * Y * Z;

public:
    struct TempStorage {
        SharedValues<T, threads> values;
    };
    BlockReduce() : storage_(private_storage<TempStorage>()) {}
    BlockReduce(TempStorage &storage) : storage_(storage) {}

    template <class Operation> SMUX_CPU_INLINE T Reduce(T input, Operation operation) { return Reduce(input, operation, threads); }
    // Only the first `valid` threads count.
    template <class Operation> SMUX_CPU_INLINE T Reduce(T input, Operation operation, int valid) {
        const int self = thread_number<X, Y, Z>();
        storage_.values[self] = input;
        __syncthreads();
        if (self != 0) return input;
        T result = input;
        for (int i = 1; i < valid && i < threads; i++) result = operation(result, storage_.values[i]);
        return result;
    }
    template <int Items, class Operation> SMUX_CPU_INLINE T Reduce(T (&inputs)[Items], Operation operation) {
        T own = inputs[0];
        for (int i = 1; i < Items; i++) own = operation(own, inputs[i]);
        return Reduce(own, operation);
    }
    SMUX_CPU_INLINE T Sum(T input) { return Reduce(input, cub::Sum()); }
    SMUX_CPU_INLINE T Sum(T input, int valid) { return Reduce(input, cub::Sum(), valid); }
    template <int Items> SMUX_CPU_INLINE T Sum(T (&inputs)[Items]) { return Reduce(inputs, cub::Sum()); }

private:
    TempStorage &storage_;
};

}  // namespace cub
#include "smux_cpu/names_end.h"
