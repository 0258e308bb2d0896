// Inside the runtime: what a launch may ask of the device (smux_cpu/device_limits.h).
#pragma once
#include "engine.h"

namespace smux_cpu {

// Why CUDA would refuse a launch, and the error that it gives; text is null where it would not.
struct refusal {
    const char *text;
    int error;
};

// As far as can be told from the configuration.
refusal refused(const config &c);

// By the shared memory that one block turned out to declare. That is known when the grid has run, and then only what
// the block came past: so a launch that needs too much may pass. (A variable that is never used counts, which nvcc may
// leave out.)
// The same for the launch bounds of the kernel, which its threads tell (smux_cpu_launch_bounds), and for the registers of
// one without them.
refusal refused(const config &c, size_t declared);

// The registers per thread of kernels without launch bounds, which say nothing of how many threads a block has: few, unless
// SMUX_REGISTERS gives a number; and the threads per block that they allow.
int unbounded_registers();
int unbounded_threads();

// Before a launch: no bounds are known yet.
void forget_launch_bounds();

// cudaFuncSetAttribute allows a kernel this much dynamic shared memory. Launches know their kernel by its name as it
// was written, not by its address, so what is allowed to one kernel is taken as allowed to all.
void allow_dynamic_shared(size_t bytes);

}  // namespace smux_cpu
