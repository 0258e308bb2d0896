// Asks NVIDIA's cuda_occupancy.h about the cases on its standard input, one a
// line, and answers each with a line on standard output. The fields are those
// of the Go type nvidiaCase, in order.
#include <cstdio>

#include <cuda_occupancy.h>

int main() {
  cudaOccDeviceProp device;
  cudaOccFuncAttributes kernel;
  cudaOccDeviceState state;
  device.warpSize = 32;
  device.numSms = 1;
  kernel.partitionedGCConfig = PARTITIONED_GC_OFF;

  int optin, cache, threads;
  size_t dynamicBytes;
  while (std::scanf("%d %d %d %d %d %d %zu %zu %zu %zu", &device.computeMajor, &device.computeMinor,
                    &device.maxThreadsPerBlock, &device.maxThreadsPerMultiprocessor, &device.regsPerBlock,
                    &device.regsPerMultiprocessor, &device.sharedMemPerBlock, &device.sharedMemPerMultiprocessor,
                    &device.sharedMemPerBlockOptin, &device.reservedSharedMemPerBlock) == 10 &&
         std::scanf("%d %d %zu %zu %zu %d %d %d %d", &threads, &kernel.numRegs, &kernel.sharedSizeBytes,
                    &dynamicBytes, &kernel.maxDynamicSharedSizeBytes, &optin, &kernel.numBlockBarriers, &cache,
                    &state.carveoutConfig) == 9) {
    kernel.maxThreadsPerBlock = device.maxThreadsPerBlock;
    kernel.shmemLimitConfig = optin ? FUNC_SHMEM_LIMIT_OPTIN : FUNC_SHMEM_LIMIT_DEFAULT;
    state.cacheConfig = static_cast<cudaOccCacheConfig>(cache);

    cudaOccResult r = {};
    cudaOccError status = cudaOccMaxActiveBlocksPerMultiprocessor(&r, &device, &kernel, &state, threads, dynamicBytes);
    std::printf("%d %d %u %d %d %d %d %d %zu\n", status, r.activeBlocksPerMultiprocessor, r.limitingFactors,
                r.blockLimitSharedMem, r.blockLimitRegs, r.blockLimitWarps, r.blockLimitBlocks, r.blockLimitBarriers,
                r.allocatedSharedMemPerBlock);
  }
}
