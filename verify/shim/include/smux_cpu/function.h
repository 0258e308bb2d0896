// Attributes and occupancy of kernels. There is no compiled kernel to ask: sizes of registers and static
// shared memory are not known, so the answers depend on what the caller passes alone.
#pragma once
#include "smux_cpu/types.h"

extern "C" {

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, const void *kernel);
cudaError_t cudaFuncSetAttribute(const void *kernel, cudaFuncAttribute attribute, int value);
cudaError_t cudaFuncSetCacheConfig(const void *kernel, cudaFuncCache config);
cudaError_t cudaFuncSetSharedMemConfig(const void *kernel, cudaSharedMemConfig config);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel, int threads, size_t shared);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *kernel, int threads, size_t shared, unsigned flags);
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *shared, const void *kernel, int blocks, int threads);

}  // extern "C"

template <class T> cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, T *kernel) { return ::cudaFuncGetAttributes(attributes, (const void *)kernel); }
template <class T> cudaError_t cudaFuncSetAttribute(T *kernel, cudaFuncAttribute attribute, int value) { return ::cudaFuncSetAttribute((const void *)kernel, attribute, value); }
template <class T> cudaError_t cudaFuncSetCacheConfig(T *kernel, cudaFuncCache config) { return ::cudaFuncSetCacheConfig((const void *)kernel, config); }
template <class T> cudaError_t cudaFuncSetSharedMemConfig(T *kernel, cudaSharedMemConfig config) { return ::cudaFuncSetSharedMemConfig((const void *)kernel, config); }
template <class T> cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T *kernel, int threads, size_t shared) {
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)kernel, threads, shared);
}
template <class T> cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, T *kernel, int threads, size_t shared, unsigned flags) {
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, (const void *)kernel, threads, shared, flags);
}
template <class T> cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *shared, T *kernel, int blocks, int threads) {
    return ::cudaOccupancyAvailableDynamicSMemPerBlock(shared, (const void *)kernel, blocks, threads);
}

namespace smux_cpu {

// The block size, a multiple of the warp up to `limit` (0: none), that keeps most threads resident, the
// largest of several; and the number of blocks of that size that fill the device.
cudaError_t best_block(int *grid, int *block, size_t (*shared)(int threads, const void *context), const void *context, int limit);

}  // namespace smux_cpu

template <class S, class T> cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *grid, int *block, T, S shared, int limit = 0) {
    return smux_cpu::best_block(grid, block, [](int threads, const void *context) -> size_t { return (*(S *)context)(threads); }, &shared, limit);
}
template <class S, class T> cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int *grid, int *block, T kernel, S shared, int limit = 0, unsigned = 0) {
    return cudaOccupancyMaxPotentialBlockSizeVariableSMem(grid, block, kernel, shared, limit);
}
template <class T> cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, T, size_t shared = 0, int limit = 0) {
    return smux_cpu::best_block(grid, block, [](int, const void *context) { return *(const size_t *)context; }, &shared, limit);
}
template <class T> cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, T kernel, size_t shared = 0, int limit = 0, unsigned = 0) {
    return cudaOccupancyMaxPotentialBlockSize(grid, block, kernel, shared, limit);
}
