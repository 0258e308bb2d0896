// The clocks of device code, in virtual time: each call is later than the one before, in every run the
// same. clock() is the C library's name too; the runtime answers it, for host and device.
#pragma once
#include <time.h>

#include "smux_cpu/abi.h"

SMUX_CPU_INLINE long long clock64() { return (long long)smux_cpu_clock(); }

// What inline assembly reads from %globaltimer: nanoseconds.
namespace smux_cpu {
SMUX_CPU_INLINE unsigned long long global_timer() { return smux_cpu_clock(); }
}  // namespace smux_cpu
