// Asynchronous copies to shared memory in C's manner.
#pragma once
#include "smux_cpu/names_begin.h"
#include "smux_cpu/async_copies.h"

SMUX_CPU_INLINE void __pipeline_memcpy_async(void *to, const void *from, size_t bytes, size_t zeros = 0) {
    smux_cpu_async_copy(to, from, bytes, zeros < bytes ? zeros : bytes, nullptr);
}
SMUX_CPU_INLINE void __pipeline_commit() { smux_cpu_async_commit(); }
SMUX_CPU_INLINE void __pipeline_wait_prior(size_t prior) { smux_cpu_async_wait(prior); }
#include "smux_cpu/names_end.h"
