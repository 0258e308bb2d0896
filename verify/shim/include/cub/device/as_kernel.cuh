// How the device-wide algorithms run: as a kernel of one thread, so that what they read and write is checked as
// accesses of the device.
#pragma once
#include "smux_cpu/names_begin.h"
#include "cub/util_type.cuh"
#include "smux_cpu/launch.h"

namespace cub {

// Each algorithm is called twice, first for the size of its scratch memory. It needs none here, but programs
// expect some. `algorithm` is run in the second call.
template <class Algorithm> cudaError_t as_kernel(const char *name, void *storage, size_t &bytes, Algorithm algorithm) {
    if (!storage) {
        bytes = 256;
        return cudaSuccess;
    }
    smux_cpu::launch(smux_cpu::config(1, 1), name, algorithm);
    return cudaSuccess;
}

}  // namespace cub
#include "smux_cpu/names_end.h"
