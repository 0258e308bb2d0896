// cub::DeviceHistogram for samples of one channel.
#pragma once
#include "smux_cpu/names_begin.h"
#include <algorithm>

#include "cub/device/as_kernel.cuh"

namespace cub {

struct DeviceHistogram {
    // `levels` boundaries make levels - 1 bins of equal width from lower to upper.
    template <class Samples, class Counter, class Level>
    static cudaError_t HistogramEven(void *storage, size_t &bytes, Samples samples, Counter *bins, int levels, Level lower, Level upper, int count, cudaStream_t = nullptr, bool = false) {
        return as_kernel("cub::DeviceHistogram::HistogramEven", storage, bytes, [=]() mutable {
            std::fill(bins, bins + levels - 1, Counter(0));
            for (int i = 0; i < count; i++) {
                const auto sample = samples[i];
                if (sample < lower || !(sample < upper)) continue;
                const int bin = int(double(sample - lower) * (levels - 1) / double(upper - lower));
                bins[std::min(bin, levels - 2)]++;
            }
        });
    }
    template <class Samples, class Counter, class Level>
    static cudaError_t HistogramRange(void *storage, size_t &bytes, Samples samples, Counter *bins, int levels, const Level *boundaries, int count, cudaStream_t = nullptr, bool = false) {
        return as_kernel("cub::DeviceHistogram::HistogramRange", storage, bytes, [=]() mutable {
            std::fill(bins, bins + levels - 1, Counter(0));
            for (int i = 0; i < count; i++) {
                const auto after = std::upper_bound(boundaries, boundaries + levels, Level(samples[i]));
                if (after != boundaries && after != boundaries + levels) bins[after - boundaries - 1]++;
            }
        });
    }
};

}  // namespace cub
#include "smux_cpu/names_end.h"
