// Copies by a group: done at once, a share by each thread; to wait is to meet.
#pragma once
#include <cstddef>

#include "cooperative_groups.h"

namespace cooperative_groups {

// Of any size type: cuda::aligned_size_t converts to a number.
template <class Group, class T, class U, class Size>
SMUX_CPU_INLINE void memcpy_async(const Group &group, T *to, const U *from, const Size &size) {
    size_t bytes = size_t(size), whole = bytes / 4;
    if (reinterpret_cast<uintptr_t>(to) % 4 != 0 || reinterpret_cast<uintptr_t>(from) % 4 != 0) whole = 0;
    for (size_t i = group.thread_rank(); i < whole; i += group.size())
        reinterpret_cast<unsigned *>(to)[i] = reinterpret_cast<const unsigned *>(from)[i];
    for (size_t i = whole * 4 + group.thread_rank(); i < bytes; i += group.size())
        reinterpret_cast<unsigned char *>(to)[i] = reinterpret_cast<const unsigned char *>(from)[i];
}
// With a number of elements at either end: as many as fit into both.
template <class Group, class T, class U, class TSize, class USize>
SMUX_CPU_INLINE void memcpy_async(const Group &group, T *to, const TSize &to_count, const U *from, const USize &from_count) {
    size_t a = size_t(to_count) * sizeof(T), b = size_t(from_count) * sizeof(U);
    memcpy_async(group, to, from, a < b ? a : b);
}
template <class Group> SMUX_CPU_INLINE void wait(const Group &group) { group.sync(); }
template <unsigned Stages, class Group> SMUX_CPU_INLINE void wait_prior(const Group &group) { group.sync(); }

}  // namespace cooperative_groups
