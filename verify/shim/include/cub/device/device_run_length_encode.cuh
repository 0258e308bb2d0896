// cub::DeviceRunLengthEncode.
#pragma once
#include "smux_cpu/names_begin.h"
#include "cub/device/as_kernel.cuh"

namespace cub {

struct DeviceRunLengthEncode {
    template <class In, class Unique, class Lengths, class Runs>
    static cudaError_t Encode(void *storage, size_t &bytes, In in, Unique unique, Lengths lengths, Runs runs, int count, cudaStream_t = nullptr, bool = false) {
        return as_kernel("cub::DeviceRunLengthEncode::Encode", storage, bytes, [=]() mutable {
            int run = -1;
            for (int i = 0; i < count; i++) {
                if (i == 0 || !(in[i] == in[i - 1])) {
                    run++;
                    unique[run] = in[i];
                    lengths[run] = 0;
                }
                lengths[run]++;
            }
            *runs = run + 1;
        });
    }
};

}  // namespace cub
#include "smux_cpu/names_end.h"
