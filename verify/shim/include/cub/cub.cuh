// CUB, as far as this shim has it. The parts that a block or a warp executes are written on the shim's barriers
// and exchanges, in the simplest order; sums of floating-point numbers therefore differ in the last bits from
// a device's. The device-wide algorithms are kernels of one thread. What is missing does not compile.
#pragma once
#include "smux_cpu/names_begin.h"

#include <chrono> // which CUDA's includes, and programs rely on, as on types of 16 bits

#include "cuda_bf16.h"

#include "cub/block/block_load.cuh"
#include "cub/block/block_radix_sort.cuh"
#include "cub/block/block_reduce.cuh"
#include "cub/block/block_scan.cuh"
#include "cub/block/block_store.cuh"
#include "cub/device/device_histogram.cuh"
#include "cub/device/device_radix_sort.cuh"
#include "cub/device/device_reduce.cuh"
#include "cub/device/device_run_length_encode.cuh"
#include "cub/device/device_scan.cuh"
#include "cub/device/device_select.cuh"
#include "cub/iterator/counting_input_iterator.cuh"
#include "cub/iterator/transform_input_iterator.cuh"
#include "cub/thread/thread_operators.cuh"
#include "cub/util_allocator.cuh"
#include "cub/util_type.cuh"
#include "cub/warp/warp_reduce.cuh"
#include "cub/warp/warp_scan.cuh"
#include "smux_cpu/names_end.h"
