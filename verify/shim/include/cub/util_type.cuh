// Types that CUB's interfaces share.
#pragma once
#include "smux_cpu/names_begin.h"
#include <cstddef>

#include "smux_cpu/host.h"

namespace cub {

struct NullType {};

template <class K, class V> struct KeyValuePair {
    typedef K Key;
    typedef V Value;
    K key;
    V value;
    bool operator!=(const KeyValuePair &other) const { return key != other.key || value != other.value; }
};

// Two buffers, of which one holds the current values; an algorithm may leave its result in the other.
template <class T> struct DoubleBuffer {
    T *d_buffers[2] = {nullptr, nullptr};
    int selector = 0;
    DoubleBuffer() = default;
    DoubleBuffer(T *current, T *alternate) : d_buffers{current, alternate} {}
    T *Current() { return d_buffers[selector]; }
    T *Alternate() { return d_buffers[selector ^ 1]; }
};

// Room for values in shared memory, which are not constructed there.
template <class T, int Count> struct SharedValues {
    alignas(T) unsigned char bytes[sizeof(T) * Count];
    T &operator[](int i) { return reinterpret_cast<T *>(bytes)[i]; }
};

// The thread's number in a block of X * Y * Z threads, as CUB makes it: a dimension that the block does not have
// does not count.
template <int X, int Y, int Z> int thread_number() {
    return int((Z == 1 ? 0 : threadIdx.z * X * Y) + (Y == 1 ? 0 : threadIdx.y * X) + threadIdx.x);
}

// The storage that a collective uses when the kernel passes none: one per type in a block.
template <class Storage> Storage &private_storage() { return smux_cpu::shared<Storage, -1>("storage of CUB", "cub.cuh", 0); }

}  // namespace cub
#include "smux_cpu/names_end.h"
