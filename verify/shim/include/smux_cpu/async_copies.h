// cuda::memcpy_async: the copy is made at the wait for it (runtime/async.h).
#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "smux_cpu/abi.h"

namespace smux_cpu {

// The share of thread `rank` of `threads`, by words where both ends lie at some.
SMUX_CPU_INLINE void copy_share(void *to, const void *from, size_t bytes, size_t rank, size_t threads, const void *barrier) {
    size_t words = (uintptr_t(to) | uintptr_t(from)) % 4 == 0 ? bytes / 4 : 0;
    char *t = static_cast<char *>(to);
    const char *f = static_cast<const char *>(from);
    if (threads == 1) {
        smux_cpu_async_copy(t, f, bytes, 0, barrier);
        return;
    }
    for (size_t i = rank; i < words; i += threads) smux_cpu_async_copy(t + i * 4, f + i * 4, 4, 0, barrier);
    for (size_t i = words * 4 + rank; i < bytes; i += threads) smux_cpu_async_copy(t + i, f + i, 1, 0, barrier);
}

}  // namespace smux_cpu

namespace cuda {

template <size_t Alignment> struct aligned_size_t {
    static constexpr size_t align = Alignment;
    size_t value;
    explicit constexpr aligned_size_t(size_t bytes) : value(bytes) {}
    constexpr operator size_t() const { return value; }
};

// What a copy may be tied to: barriers and pipelines say so by this type.
template <class Sync> using smux_awaitable = typename Sync::smux_awaits_copies;

template <class T, class U, class Size, class Sync, class = smux_awaitable<Sync>>
SMUX_CPU_INLINE void memcpy_async(T *to, const U *from, const Size &bytes, Sync &sync) {
    smux_cpu::copy_share(to, from, size_t(bytes), 0, 1, sync.smux_copies_to());
}
template <class Group, class T, class U, class Size, class Sync, class = smux_awaitable<Sync>>
SMUX_CPU_INLINE void memcpy_async(const Group &group, T *to, const U *from, const Size &bytes, Sync &sync) {
    smux_cpu::copy_share(to, from, size_t(bytes), group.thread_rank(), group.size(), sync.smux_copies_to());
}

}  // namespace cuda
