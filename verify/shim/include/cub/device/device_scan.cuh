// cub::DeviceScan. Input and output may be the same.
#pragma once
#include "smux_cpu/names_begin.h"
#include <iterator>

#include "cub/device/as_kernel.cuh"
#include "cub/thread/thread_operators.cuh"

namespace cub {

struct DeviceScan {
    template <class In, class Out, class Operation, class T>
    static cudaError_t ExclusiveScan(void *storage, size_t &bytes, In in, Out out, Operation operation, T initial, int count, cudaStream_t = nullptr, bool = false) {
        return as_kernel("cub::DeviceScan::ExclusiveScan", storage, bytes, [=]() mutable {
            T before = initial;
            for (int i = 0; i < count; i++) {
                const T next = operation(before, T(in[i]));
                out[i] = before;
                before = next;
            }
        });
    }
    template <class In, class Out, class Operation>
    static cudaError_t InclusiveScan(void *storage, size_t &bytes, In in, Out out, Operation operation, int count, cudaStream_t = nullptr, bool = false) {
        return as_kernel("cub::DeviceScan::InclusiveScan", storage, bytes, [=]() mutable {
            if (count <= 0) return;
            auto sum = value_of<In>(in[0]);
            out[0] = sum;
            for (int i = 1; i < count; i++) out[i] = sum = operation(sum, value_of<In>(in[i]));
        });
    }
    template <class In, class Out> static cudaError_t ExclusiveSum(void *storage, size_t &bytes, In in, Out out, int count, cudaStream_t = nullptr, bool = false) {
        return ExclusiveScan(storage, bytes, in, out, cub::Sum(), value_of<In>(0), count);
    }
    template <class In, class Out> static cudaError_t InclusiveSum(void *storage, size_t &bytes, In in, Out out, int count, cudaStream_t = nullptr, bool = false) {
        return InclusiveScan(storage, bytes, in, out, cub::Sum(), count);
    }

private:
    template <class In> using value_of = typename std::iterator_traits<In>::value_type;
};

}  // namespace cub
#include "smux_cpu/names_end.h"
