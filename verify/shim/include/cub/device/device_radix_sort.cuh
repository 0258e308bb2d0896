// cub::DeviceRadixSort.
#pragma once
#include "smux_cpu/names_begin.h"
#include <algorithm>
#include <vector>

#include "cub/device/as_kernel.cuh"
#include "cub/radix_key.cuh"

namespace cub {

struct DeviceRadixSort {
    template <class K> static cudaError_t SortKeys(void *storage, size_t &bytes, const K *in, K *out, int count, int begin = 0, int end = 8 * sizeof(K), cudaStream_t = nullptr, bool = false) {
        return keys_only(storage, bytes, in, out, count, begin, end, false);
    }
    template <class K> static cudaError_t SortKeysDescending(void *storage, size_t &bytes, const K *in, K *out, int count, int begin = 0, int end = 8 * sizeof(K), cudaStream_t = nullptr, bool = false) {
        return keys_only(storage, bytes, in, out, count, begin, end, true);
    }
    template <class K, class V>
    static cudaError_t SortPairs(void *storage, size_t &bytes, const K *in, K *out, const V *values, V *sorted, int count, int begin = 0, int end = 8 * sizeof(K), cudaStream_t = nullptr, bool = false) {
        return pairs(storage, bytes, in, out, values, sorted, count, begin, end, false);
    }
    template <class K, class V>
    static cudaError_t SortPairsDescending(void *storage, size_t &bytes, const K *in, K *out, const V *values, V *sorted, int count, int begin = 0, int end = 8 * sizeof(K), cudaStream_t = nullptr, bool = false) {
        return pairs(storage, bytes, in, out, values, sorted, count, begin, end, true);
    }

    // With double buffers, the result is in the buffers that are current afterwards: here the same ones.
    template <class K> static cudaError_t SortKeys(void *storage, size_t &bytes, DoubleBuffer<K> &keys, int count, int begin = 0, int end = 8 * sizeof(K), cudaStream_t = nullptr, bool = false) {
        return keys_only(storage, bytes, keys.Current(), keys.Current(), count, begin, end, false);
    }
    template <class K> static cudaError_t SortKeysDescending(void *storage, size_t &bytes, DoubleBuffer<K> &keys, int count, int begin = 0, int end = 8 * sizeof(K), cudaStream_t = nullptr, bool = false) {
        return keys_only(storage, bytes, keys.Current(), keys.Current(), count, begin, end, true);
    }
    template <class K, class V>
    static cudaError_t SortPairs(void *storage, size_t &bytes, DoubleBuffer<K> &keys, DoubleBuffer<V> &values, int count, int begin = 0, int end = 8 * sizeof(K), cudaStream_t = nullptr, bool = false) {
        return pairs(storage, bytes, keys.Current(), keys.Current(), values.Current(), values.Current(), count, begin, end, false);
    }
    template <class K, class V>
    static cudaError_t SortPairsDescending(void *storage, size_t &bytes, DoubleBuffer<K> &keys, DoubleBuffer<V> &values, int count, int begin = 0, int end = 8 * sizeof(K), cudaStream_t = nullptr, bool = false) {
        return pairs(storage, bytes, keys.Current(), keys.Current(), values.Current(), values.Current(), count, begin, end, true);
    }

private:
    template <class K> static std::vector<int> order_of(const std::vector<K> &keys, int begin, int end, bool descending) {
        std::vector<int> order(keys.size());
        for (size_t i = 0; i < order.size(); i++) order[i] = int(i);
        std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return radix_less(keys[a], keys[b], begin, end, descending); });
        return order;
    }
    template <class K> static cudaError_t keys_only(void *storage, size_t &bytes, const K *in, K *out, int count, int begin, int end, bool descending) {
        return as_kernel("cub::DeviceRadixSort", storage, bytes, [=]() mutable {
            const std::vector<K> keys(in, in + count);
            const std::vector<int> order = order_of(keys, begin, end, descending);
            for (int i = 0; i < count; i++) out[i] = keys[order[i]];
        });
    }
    template <class K, class V>
    static cudaError_t pairs(void *storage, size_t &bytes, const K *in, K *out, const V *values, V *sorted, int count, int begin, int end, bool descending) {
        return as_kernel("cub::DeviceRadixSort", storage, bytes, [=]() mutable {
            const std::vector<K> keys(in, in + count);
            const std::vector<V> old(values, values + count);
            const std::vector<int> order = order_of(keys, begin, end, descending);
            for (int i = 0; i < count; i++) {
                out[i] = keys[order[i]];
                sorted[i] = old[order[i]];
            }
        });
    }
};

}  // namespace cub
#include "smux_cpu/names_end.h"
