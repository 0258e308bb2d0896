// cuda::memcpy_async and the __pipeline_ functions: the copy is done at once, so that waiting for it is nothing,
// and a wait that is missing is not found.
#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "smux_cpu/abi.h"

namespace smux_cpu {

// The share of thread `rank` of `threads`, in accesses that the checks see.
SMUX_CPU_INLINE void copy_share(void *to, const void *from, size_t bytes, size_t rank, size_t threads) {
    size_t words = (uintptr_t(to) | uintptr_t(from)) % 4 == 0 ? bytes / 4 : 0;
    for (size_t i = rank; i < words; i += threads) static_cast<unsigned *>(to)[i] = static_cast<const unsigned *>(from)[i];
    for (size_t i = words * 4 + rank; i < bytes; i += threads)
        static_cast<unsigned char *>(to)[i] = static_cast<const unsigned char *>(from)[i];
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
SMUX_CPU_INLINE void memcpy_async(T *to, const U *from, const Size &bytes, Sync &) {
    smux_cpu::copy_share(to, from, size_t(bytes), 0, 1);
}
template <class Group, class T, class U, class Size, class Sync, class = smux_awaitable<Sync>>
SMUX_CPU_INLINE void memcpy_async(const Group &group, T *to, const U *from, const Size &bytes, Sync &) {
    smux_cpu::copy_share(to, from, size_t(bytes), group.thread_rank(), group.size());
}

}  // namespace cuda
