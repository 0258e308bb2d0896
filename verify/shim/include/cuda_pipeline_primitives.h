// Asynchronous copies to shared memory in C's manner.
#pragma once
#include "smux_cpu/async_copies.h"

SMUX_CPU_INLINE void __pipeline_memcpy_async(void *to, const void *from, size_t bytes, size_t zeros = 0) {
    const size_t copied = bytes > zeros ? bytes - zeros : 0;
    smux_cpu::copy_share(to, from, copied, 0, 1);
    for (size_t i = copied; i < bytes; i++) static_cast<unsigned char *>(to)[i] = 0;
}
SMUX_CPU_INLINE void __pipeline_commit() {}
SMUX_CPU_INLINE void __pipeline_wait_prior(size_t) {}
