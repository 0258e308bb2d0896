// cub::BlockScan: prefix sums over the threads of a block, with one item or several of each thread.
#pragma once
#include "smux_cpu/names_begin.h"
#include "cub/thread/thread_operators.cuh"
#include "smux_cpu/sync.h"

namespace cub {

enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };

template <class T, int X, BlockScanAlgorithm Algorithm = BLOCK_SCAN_RAKING, int Y = 1, int Z = 1, int Arch = 0> class BlockScan {
    static constexpr int threads = X * Y * Z;

public:
    struct TempStorage {
        SharedValues<T, threads> values;  // what each thread gave; then what stands before it
        SharedValues<T, 1> aggregate;
    };
    BlockScan() : storage_(private_storage<TempStorage>()) {}
    BlockScan(TempStorage &storage) : storage_(storage) {}

    // ---- one item per thread
    SMUX_CPU_INLINE void ExclusiveSum(T input, T &output) { ExclusiveScan(input, output, T(0), cub::Sum()); }
    SMUX_CPU_INLINE void ExclusiveSum(T input, T &output, T &aggregate) { ExclusiveScan(input, output, T(0), cub::Sum(), aggregate); }
    template <class Prefix> SMUX_CPU_INLINE void ExclusiveSum(T input, T &output, Prefix &prefix) { ExclusiveScan(input, output, cub::Sum(), prefix); }
    SMUX_CPU_INLINE void InclusiveSum(T input, T &output) { InclusiveScan(input, output, cub::Sum()); }
    SMUX_CPU_INLINE void InclusiveSum(T input, T &output, T &aggregate) { InclusiveScan(input, output, cub::Sum(), aggregate); }
    template <class Prefix> SMUX_CPU_INLINE void InclusiveSum(T input, T &output, Prefix &prefix) { InclusiveScan(input, output, cub::Sum(), prefix); }

    template <class Operation> SMUX_CPU_INLINE void ExclusiveScan(T input, T &output, T initial, Operation operation) {
        T aggregate;
        ExclusiveScan(input, output, initial, operation, aggregate);
    }
    template <class Operation> SMUX_CPU_INLINE void ExclusiveScan(T input, T &output, T initial, Operation operation, T &aggregate) {
        run(input, operation, [&](const T &) { return initial; });
        output = storage_.values[thread_number<X, Y, Z>()];
        aggregate = storage_.aggregate[0];
    }
    // prefix(aggregate) gives the value that stands before the block; it is called by thread 0 alone.
    template <class Operation, class Prefix> SMUX_CPU_INLINE void ExclusiveScan(T input, T &output, Operation operation, Prefix &prefix) {
        run(input, operation, prefix);
        output = storage_.values[thread_number<X, Y, Z>()];
    }
    template <class Operation> SMUX_CPU_INLINE void InclusiveScan(T input, T &output, Operation operation) {
        T aggregate;
        inclusive(input, output, operation, aggregate);
    }
    template <class Operation> SMUX_CPU_INLINE void InclusiveScan(T input, T &output, Operation operation, T &aggregate) {
        inclusive(input, output, operation, aggregate);
    }
    template <class Operation, class Prefix> SMUX_CPU_INLINE void InclusiveScan(T input, T &output, Operation operation, Prefix &prefix) {
        run(input, operation, prefix);
        output = operation(storage_.values[thread_number<X, Y, Z>()], input);
    }

    // ---- several items per thread, neighbours in the sequence
    template <int Items> SMUX_CPU_INLINE void ExclusiveSum(T (&input)[Items], T (&output)[Items]) {
        T aggregate;
        ExclusiveSum(input, output, aggregate);
    }
    template <int Items> SMUX_CPU_INLINE void ExclusiveSum(T (&input)[Items], T (&output)[Items], T &aggregate) {
        T before;
        ExclusiveSum(own(input), before, aggregate);
        spread(input, output, before, false);
    }
    template <int Items, class Prefix> SMUX_CPU_INLINE void ExclusiveSum(T (&input)[Items], T (&output)[Items], Prefix &prefix) {
        T before;
        ExclusiveSum(own(input), before, prefix);
        spread(input, output, before, false);
    }
    template <int Items> SMUX_CPU_INLINE void InclusiveSum(T (&input)[Items], T (&output)[Items]) {
        T aggregate;
        InclusiveSum(input, output, aggregate);
    }
    template <int Items> SMUX_CPU_INLINE void InclusiveSum(T (&input)[Items], T (&output)[Items], T &aggregate) {
        T before;
        ExclusiveSum(own(input), before, aggregate);
        spread(input, output, before, true);
    }

private:
    // Leaves in values what stands before each thread, and in aggregate the whole. First and last, all meet.
    template <class Operation, class Prefix> SMUX_CPU_INLINE void run(T input, Operation operation, Prefix &&prefix) {
        const int self = thread_number<X, Y, Z>();
        storage_.values[self] = input;
        __syncthreads();
        if (self == 0) {
            T total = storage_.values[0];
            for (int i = 1; i < threads; i++) total = operation(total, storage_.values[i]);
            storage_.aggregate[0] = total;
            T before = prefix(total);
            for (int i = 0; i < threads; i++) {
                const T next = operation(before, storage_.values[i]);
                storage_.values[i] = before;
                before = next;
            }
        }
        __syncthreads();
    }
    // There need not be a value that stands before everything.
    template <class Operation> SMUX_CPU_INLINE void inclusive(T input, T &output, Operation operation, T &aggregate) {
        const int self = thread_number<X, Y, Z>();
        storage_.values[self] = input;
        __syncthreads();
        if (self == 0)
            for (int i = 1; i < threads; i++) storage_.values[i] = operation(storage_.values[i - 1], storage_.values[i]);
        __syncthreads();
        output = storage_.values[self];
        aggregate = storage_.values[threads - 1];
    }
    template <int Items> static T own(const T (&input)[Items]) {
        T sum = input[0];
        for (int i = 1; i < Items; i++) sum = sum + input[i];
        return sum;
    }
    template <int Items> static void spread(const T (&input)[Items], T (&output)[Items], T before, bool inclusive) {
        for (int i = 0; i < Items; i++) {
            const T after = before + input[i];  // before output is written: it may be input
            output[i] = inclusive ? after : before;
            before = after;
        }
    }

    TempStorage &storage_;
};

}  // namespace cub
#include "smux_cpu/names_end.h"
