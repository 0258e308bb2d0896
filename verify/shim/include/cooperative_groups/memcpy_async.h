// Copies by a group: a share by each thread, a group of copies for each call; to wait is to wait for one's own, and to meet.
#pragma once
#include "smux_cpu/names_begin.h"
#include <cstddef>

#include "cooperative_groups.h"
#include "smux_cpu/async_copies.h"

namespace cooperative_groups {

// Of any size type: cuda::aligned_size_t converts to a number.
template <class Group, class T, class U, class Size>
SMUX_CPU_INLINE void memcpy_async(const Group &group, T *to, const U *from, const Size &size) {
    smux_cpu::copy_share(to, from, size_t(size), group.thread_rank(), group.size(), nullptr);
    smux_cpu_async_commit();
}
// With a number of elements at either end: as many as fit into both.
template <class Group, class T, class U, class TSize, class USize>
SMUX_CPU_INLINE void memcpy_async(const Group &group, T *to, const TSize &to_count, const U *from, const USize &from_count) {
    size_t a = size_t(to_count) * sizeof(T), b = size_t(from_count) * sizeof(U);
    memcpy_async(group, to, from, a < b ? a : b);
}
template <class Group> SMUX_CPU_INLINE void wait(const Group &group) {
    smux_cpu_async_wait(0);
    group.sync();
}
template <unsigned Stages, class Group> SMUX_CPU_INLINE void wait_prior(const Group &group) {
    smux_cpu_async_wait(Stages);
    group.sync();
}

}  // namespace cooperative_groups
#include "smux_cpu/names_end.h"
