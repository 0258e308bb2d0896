// cub::BlockRadixSort: sorts the items of a block, stable, by bits of their keys.
#pragma once
#include "smux_cpu/names_begin.h"
#include <algorithm>
#include <type_traits>

#include "cub/radix_key.cuh"
#include "smux_cpu/sync.h"

namespace cub {

template <class K, int X, int Items, class V = NullType, int RadixBits = 4, bool Memoize = true, int Scan = 0, int Config = 0, int Y = 1, int Z = 1, int Arch = 0>
class BlockRadixSort {
    static constexpr int threads = X * Y * Z;
    static constexpr int key_bits = 8 * sizeof(K);

public:
    struct TempStorage {
        SharedValues<K, threads * Items> keys;
        SharedValues<V, threads * Items> values;
        int order[threads * Items];
    };
    BlockRadixSort() : storage_(private_storage<TempStorage>()) {}
    BlockRadixSort(TempStorage &storage) : storage_(storage) {}

    SMUX_CPU_INLINE void Sort(K (&keys)[Items], int begin = 0, int end = key_bits) { run<NullType>(keys, nullptr, begin, end, false, false); }
    SMUX_CPU_INLINE void Sort(K (&keys)[Items], V (&values)[Items], int begin = 0, int end = key_bits) { run(keys, values, begin, end, false, false); }
    SMUX_CPU_INLINE void SortDescending(K (&keys)[Items], int begin = 0, int end = key_bits) { run<NullType>(keys, nullptr, begin, end, true, false); }
    SMUX_CPU_INLINE void SortDescending(K (&keys)[Items], V (&values)[Items], int begin = 0, int end = key_bits) { run(keys, values, begin, end, true, false); }
    SMUX_CPU_INLINE void SortBlockedToStriped(K (&keys)[Items], int begin = 0, int end = key_bits) { run<NullType>(keys, nullptr, begin, end, false, true); }
    SMUX_CPU_INLINE void SortBlockedToStriped(K (&keys)[Items], V (&values)[Items], int begin = 0, int end = key_bits) { run(keys, values, begin, end, false, true); }

private:
    template <class W> SMUX_CPU_INLINE void run(K (&keys)[Items], W *values, int begin, int end, bool descending, bool striped) {
        const int self = thread_number<X, Y, Z>();
        for (int i = 0; i < Items; i++) {
            storage_.keys[self * Items + i] = keys[i];
            if constexpr (!std::is_same<W, NullType>::value) storage_.values[self * Items + i] = values[i];
        }
        __syncthreads();
        if (self == 0) {
            for (int i = 0; i < threads * Items; i++) storage_.order[i] = i;
            std::stable_sort(storage_.order, storage_.order + threads * Items, [&](int a, int b) {
                return radix_less(storage_.keys[a], storage_.keys[b], begin, end, descending);
            });
        }
        __syncthreads();
        for (int i = 0; i < Items; i++) {
            const int from = storage_.order[striped ? i * threads + self : self * Items + i];
            keys[i] = storage_.keys[from];
            if constexpr (!std::is_same<W, NullType>::value) values[i] = storage_.values[from];
        }
    }

    TempStorage &storage_;
};

}  // namespace cub
#include "smux_cpu/names_end.h"
