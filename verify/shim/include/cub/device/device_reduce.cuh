// cub::DeviceReduce.
#pragma once
#include "smux_cpu/names_begin.h"
#include <iterator>
#include <limits>

#include "cub/device/as_kernel.cuh"
#include "cub/thread/thread_operators.cuh"

namespace cub {

struct DeviceReduce {
    template <class In, class Out, class Operation, class T>
    static cudaError_t Reduce(void *storage, size_t &bytes, In in, Out out, int count, Operation operation, T initial, cudaStream_t = nullptr, bool = false) {
        return as_kernel("cub::DeviceReduce::Reduce", storage, bytes, [=]() mutable {
            T result = initial;
            for (int i = 0; i < count; i++) result = operation(result, T(in[i]));
            *out = result;
        });
    }
    template <class In, class Out> static cudaError_t Sum(void *storage, size_t &bytes, In in, Out out, int count, cudaStream_t = nullptr, bool = false) {
        return Reduce(storage, bytes, in, out, count, cub::Sum(), value_of<In>(0));
    }
    template <class In, class Out> static cudaError_t Min(void *storage, size_t &bytes, In in, Out out, int count, cudaStream_t = nullptr, bool = false) {
        return Reduce(storage, bytes, in, out, count, cub::Min(), std::numeric_limits<value_of<In>>::max());
    }
    template <class In, class Out> static cudaError_t Max(void *storage, size_t &bytes, In in, Out out, int count, cudaStream_t = nullptr, bool = false) {
        return Reduce(storage, bytes, in, out, count, cub::Max(), std::numeric_limits<value_of<In>>::lowest());
    }
    template <class In, class Out> static cudaError_t ArgMin(void *storage, size_t &bytes, In in, Out out, int count, cudaStream_t = nullptr, bool = false) {
        return extreme(storage, bytes, in, out, count, cub::ArgMin(), std::numeric_limits<value_of<In>>::max());
    }
    template <class In, class Out> static cudaError_t ArgMax(void *storage, size_t &bytes, In in, Out out, int count, cudaStream_t = nullptr, bool = false) {
        return extreme(storage, bytes, in, out, count, cub::ArgMax(), std::numeric_limits<value_of<In>>::lowest());
    }
    // One result for each run of equal keys.
    template <class Keys, class Unique, class Values, class Results, class Runs, class Operation>
    static cudaError_t ReduceByKey(void *storage, size_t &bytes, Keys keys, Unique unique, Values values, Results results, Runs runs, Operation operation, int count, cudaStream_t = nullptr, bool = false) {
        return as_kernel("cub::DeviceReduce::ReduceByKey", storage, bytes, [=]() mutable {
            int run = -1;
            for (int i = 0; i < count; i++) {
                if (run >= 0 && unique[run] == keys[i]) {
                    results[run] = operation(results[run], values[i]);
                    continue;
                }
                run++;
                unique[run] = keys[i];
                results[run] = values[i];
            }
            *runs = run + 1;
        });
    }

private:
    template <class In> using value_of = typename std::iterator_traits<In>::value_type;

    template <class In, class Out, class Operation>
    static cudaError_t extreme(void *storage, size_t &bytes, In in, Out out, int count, Operation operation, value_of<In> worst) {
        return as_kernel("cub::DeviceReduce", storage, bytes, [=]() mutable {
            KeyValuePair<int, value_of<In>> result{1, worst};
            if (count > 0) result = {0, in[0]};
            for (int i = 1; i < count; i++) result = operation(result, KeyValuePair<int, value_of<In>>{i, in[i]});
            *out = result;
        });
    }
};

}  // namespace cub
#include "smux_cpu/names_end.h"
