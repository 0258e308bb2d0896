// Kernels as the runtime API sees them: attributes, occupancy, and launches by address.
#include <map>
#include <string>

#include "configuration.h"
#include "image.h"
#include "smux_cpu/device_limits.h"
#include "smux_cpu/error.h"
#include "smux_cpu/function.h"
#include "smux_cpu/kernel.h"

using namespace smux_cpu;

namespace {

struct kernel_record {
    const char *name = nullptr;
    smux_cpu_unpacking_call call = nullptr;
    smux_cpu_keeping_call keep = nullptr;
    int dynamic_shared = int(device::shared_per_block);  // as cudaFuncSetAttribute allowed
    int carveout = cudaSharedmemCarveoutDefault;
};

// In a function, because kernels are registered by initialisers of the program's variables.
std::map<const void *, kernel_record> &kernels() {
    static std::map<const void *, kernel_record> all;
    return all;
}

struct erased_launch {
    const void *kernel;
    smux_cpu_unpacking_call call;
    void **arguments;
    static void run(void *self) {
        const auto *launch = static_cast<erased_launch *>(self);
        launch->call(launch->kernel, launch->arguments);
    }
};

// Null: none.
const kernel_record *find(const void *kernel) {
    const auto found = kernels().find(kernel);
    if (kernel && found != kernels().end() && found->second.call) return &found->second;
    // A pointer to something that the translation did not see becoming one.
    if (kernel) smux_cpu_not_supported("launch of a kernel known by its address only");
    return nullptr;
}

cudaError_t launch_erased(const config &config, const void *kernel, void **arguments) {
    const kernel_record *record = find(kernel);
    if (!record) return smux_cpu_error(cudaErrorInvalidDeviceFunction);
    if (smux_cpu_captures(config.stream)) {
        smux_cpu_capture(config.stream, cudaGraphNodeTypeKernel, record->keep(config, kernel, arguments));
        return cudaSuccess;
    }
    erased_launch launch{kernel, record->call, arguments};
    return smux_cpu_launch_checked(&config, record->name, erased_launch::run, &launch);
}

}  // namespace

namespace smux_cpu {

graph_work *kept_launch(const config &config, const void *kernel, void **arguments) {
    const kernel_record *record = find(kernel);
    return record ? record->keep(config, kernel, arguments) : nullptr;
}

config extended_config(const cudaLaunchConfig_t *given) {
    config config(given->gridDim, given->blockDim, given->dynamicSmemBytes, given->stream);
    for (unsigned i = 0; i < given->numAttrs; i++) {
        const cudaLaunchAttribute &attribute = given->attrs[i];
        if (attribute.id == cudaLaunchAttributeCooperative) config.cooperative = attribute.val.cooperative != 0;
        const auto &cluster = attribute.val.clusterDim;
        if (attribute.id == cudaLaunchAttributeClusterDimension && cluster.x * cluster.y * cluster.z > 1) smux_cpu_not_supported("thread block clusters");
    }
    return config;
}

cudaError_t best_block(int *grid, int *block, size_t (*shared)(int threads, const void *context), const void *context, int limit) {
    if (!grid || !block) return smux_cpu_error(cudaErrorInvalidValue);
    if (limit <= 0 || limit > device::threads_per_block) limit = device::threads_per_block;
    int most = 0;
    for (int threads = (limit + device::warp - 1) / device::warp * device::warp; threads > 0; threads -= device::warp) {
        const int size = threads < limit ? threads : limit;
        const int resident = device::resident_blocks(size, shared(size, context));
        if (resident * size <= most) continue;
        most = resident * size;
        *block = size;
        *grid = resident * device::multiprocessors;
    }
    return most ? cudaSuccess : smux_cpu_error(cudaErrorInvalidConfiguration);
}

}  // namespace smux_cpu

extern "C" {

void smux_cpu_register_kernel(const void *kernel, const char *name, smux_cpu_unpacking_call call, smux_cpu_keeping_call keep) {
    kernel_record &record = kernels()[kernel];
    record.name = name;
    record.call = call;
    record.keep = keep;
}

const char *smux_cpu_kernel_name(const void *kernel) {
    const auto found = kernels().find(kernel);
    if (found != kernels().end() && found->second.name) return found->second.name;
    // Names live as long as the program: reports name kernels by them.
    static std::map<const void *, std::string> by_symbol;
    std::string &name = by_symbol[kernel];
    if (name.empty()) name = image_function_at(kernel);
    return name.empty() ? "(kernel)" : name.c_str();
}

cudaError_t smux_cpu_launch_checked(const config *config, const char *name, void (*body)(void *), void *argument) {
    // The engine records a bad configuration as the last error: keep apart what was there before.
    const cudaError_t before = cudaGetLastError();
    smux_cpu_launch(config, name, body, argument);
    const cudaError_t now = cudaPeekAtLastError();
    if (now == cudaSuccess) smux_cpu_error(before);
    return now;
}

cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t stream) {
    return launch_erased(config(grid, block, shared, stream), kernel, arguments);
}

cudaError_t cudaLaunchCooperativeKernel(const void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t stream) {
    config config(grid, block, shared, stream);
    config.cooperative = true;
    return launch_erased(config, kernel, arguments);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *kernel, void **arguments) {
    return launch_erased(extended_config(config), kernel, arguments);
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, const void *kernel) {
    if (!attributes || !kernel) return smux_cpu_error(cudaErrorInvalidDeviceFunction);
    const kernel_record &record = kernels()[kernel];
    *attributes = {};
    attributes->maxThreadsPerBlock = unbounded_threads();
    attributes->numRegs = unbounded_registers();
    attributes->ptxVersion = attributes->binaryVersion = 80;
    attributes->maxDynamicSharedSizeBytes = record.dynamic_shared;
    attributes->preferredShmemCarveout = record.carveout;
    return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void *kernel, cudaFuncAttribute attribute, int value) {
    if (!kernel) return smux_cpu_error(cudaErrorInvalidDeviceFunction);
    switch (attribute) {
        case cudaFuncAttributeMaxDynamicSharedMemorySize:
            if (value < 0 || size_t(value) > device::shared_per_block_most) return smux_cpu_error(cudaErrorInvalidValue);
            kernels()[kernel].dynamic_shared = value;
            allow_dynamic_shared(size_t(value));
            return cudaSuccess;
        case cudaFuncAttributePreferredSharedMemoryCarveout:
            if (value < -1 || value > 100) return smux_cpu_error(cudaErrorInvalidValue);
            kernels()[kernel].carveout = value;
            return cudaSuccess;
        case cudaFuncAttributeNonPortableClusterSizeAllowed:
        case cudaFuncAttributeClusterSchedulingPolicyPreference: return cudaSuccess;
        default: return smux_cpu_error(cudaErrorInvalidValue);
    }
}

cudaError_t cudaFuncSetCacheConfig(const void *kernel, cudaFuncCache) { return kernel ? cudaSuccess : smux_cpu_error(cudaErrorInvalidDeviceFunction); }
cudaError_t cudaFuncSetSharedMemConfig(const void *kernel, cudaSharedMemConfig) { return kernel ? cudaSuccess : smux_cpu_error(cudaErrorInvalidDeviceFunction); }

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel, int threads, size_t shared) {
    if (!blocks || threads <= 0) return smux_cpu_error(cudaErrorInvalidValue);
    if (!kernel) return smux_cpu_error(cudaErrorInvalidDeviceFunction);
    *blocks = device::resident_blocks(threads, shared);
    return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *kernel, int threads, size_t shared, unsigned) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel, threads, shared);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *shared, const void *kernel, int blocks, int threads) {
    if (!shared || blocks <= 0 || threads <= 0 || threads > device::threads_per_block) return smux_cpu_error(cudaErrorInvalidValue);
    if (!kernel) return smux_cpu_error(cudaErrorInvalidDeviceFunction);
    const size_t each = device::shared_per_multiprocessor / size_t(blocks);
    *shared = each < device::shared_reserved ? 0 : each - device::shared_reserved;
    if (*shared > device::shared_per_block) *shared = device::shared_per_block;
    return cudaSuccess;
}

}  // extern "C"
