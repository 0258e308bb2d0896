// cub::DeviceSelect.
#pragma once
#include "smux_cpu/names_begin.h"
#include "cub/device/as_kernel.cuh"

namespace cub {

struct DeviceSelect {
    template <class In, class Flags, class Out, class Count>
    static cudaError_t Flagged(void *storage, size_t &bytes, In in, Flags flags, Out out, Count selected, int count, cudaStream_t = nullptr, bool = false) {
        return select(storage, bytes, in, out, selected, count, [&](int i) { return bool(flags[i]); });
    }
    template <class In, class Out, class Count, class Predicate>
    static cudaError_t If(void *storage, size_t &bytes, In in, Out out, Count selected, int count, Predicate predicate, cudaStream_t = nullptr, bool = false) {
        return select(storage, bytes, in, out, selected, count, [&](int i) { return bool(predicate(in[i])); });
    }
    // The first of each run of equal elements.
    template <class In, class Out, class Count>
    static cudaError_t Unique(void *storage, size_t &bytes, In in, Out out, Count selected, int count, cudaStream_t = nullptr, bool = false) {
        return select(storage, bytes, in, out, selected, count, [&](int i) { return i == 0 || !(in[i] == in[i - 1]); });
    }

private:
    template <class In, class Out, class Count, class Choice>
    static cudaError_t select(void *storage, size_t &bytes, In in, Out out, Count selected, int count, Choice choice) {
        return as_kernel("cub::DeviceSelect", storage, bytes, [=]() mutable {
            int chosen = 0;
            for (int i = 0; i < count; i++)
                if (choice(i)) out[chosen++] = in[i];
            *selected = chosen;
        });
    }
};

}  // namespace cub
#include "smux_cpu/names_end.h"
