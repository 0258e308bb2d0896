// The one device that programs see: what an A100 allows to a block and a multiprocessor, but with few
// multiprocessors, so that programs which fill the device stay small.
// Modelled: Launches | limits of an A100 or of `--gpu`, registers by nvcc | an attribute counts for all kernels; launches by kernels
#pragma once
#include <cstddef>

namespace smux_cpu::device {

constexpr int multiprocessors = 8;
constexpr int warp = 32;

constexpr int threads_per_block = 1024;
constexpr int threads_per_multiprocessor = 2048;
constexpr int blocks_per_multiprocessor = 32;
constexpr int registers_per_multiprocessor = 65536;
constexpr int registers_per_thread = 255;
constexpr int registers_least = 32;  // what a kernel takes as far as nothing else is known
constexpr int block_x = 1024, block_y = 1024, block_z = 64;
constexpr int grid_x = 2147483647, grid_y = 65535, grid_z = 65535;

constexpr size_t shared_per_block = 48 << 10;         // without opting in
constexpr size_t shared_per_block_most = 163 << 10;   // cudaFuncAttributeMaxDynamicSharedMemorySize
constexpr size_t shared_per_multiprocessor = 164 << 10;
constexpr size_t shared_reserved = 1 << 10;           // of each block, for the system

constexpr size_t memory = size_t{16} << 30;  // as runtime/memory.cc has it
constexpr size_t pitch_alignment = 512;               // of rows that cudaMallocPitch gives
constexpr size_t pitch_most = 2147483647;
constexpr size_t heap = 8 << 20;                      // of malloc in kernels, as cudaDeviceGetLimit says

// How many blocks of `threads` threads and `shared` bytes fit on a multiprocessor at a time. Registers
// are not counted: there is no compiled kernel to ask.
constexpr int resident_blocks(int threads, size_t shared) {
    if (threads <= 0 || threads > threads_per_block || shared > shared_per_block_most) return 0;
    const int warps = (threads + warp - 1) / warp;
    int blocks = threads_per_multiprocessor / (warps * warp);
    if (blocks > blocks_per_multiprocessor) blocks = blocks_per_multiprocessor;
    const size_t by_shared = shared_per_multiprocessor / (shared + shared_reserved);
    return by_shared < size_t(blocks) ? int(by_shared) : blocks;
}

}  // namespace smux_cpu::device
