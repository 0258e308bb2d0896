// Advice about managed memory and memory pools: there is one memory, so all of it is checked and forgotten.
#include <cstring>

#include "smux_cpu/memory.h"

namespace {

bool is_managed(const void *p, size_t bytes) {
    void *base;
    size_t all;
    int kind;
    if (!smux_cpu_find_allocation(p, &base, &all, &kind)) return false;
    return kind == 1 && bytes <= all - size_t(static_cast<const char *>(p) - static_cast<char *>(base));
}
bool is_device(int device) { return device == 0 || device == cudaCpuDeviceId; }

const cudaMemPool_t pool_of_device = (cudaMemPool_t)1;
size_t release_threshold = 0;

}  // namespace

extern "C" {

cudaError_t cudaMemPrefetchAsync(const void *p, size_t bytes, int device, cudaStream_t) {
    if (!is_device(device)) return smux_cpu_error(cudaErrorInvalidDevice);
    return is_managed(p, bytes) ? cudaSuccess : smux_cpu_error(cudaErrorInvalidValue);
}

cudaError_t cudaMemAdvise(const void *p, size_t bytes, cudaMemoryAdvise, int device) {
    if (!is_device(device)) return smux_cpu_error(cudaErrorInvalidDevice);
    return is_managed(p, bytes) ? cudaSuccess : smux_cpu_error(cudaErrorInvalidValue);
}

cudaError_t cudaMemRangeGetAttribute(void *value, size_t size, cudaMemRangeAttribute attribute, const void *p, size_t bytes) {
    if (!value || size < sizeof(int) || !is_managed(p, bytes)) return smux_cpu_error(cudaErrorInvalidValue);
    const int answer = attribute == cudaMemRangeAttributeReadMostly ? 0 : cudaInvalidDeviceId;
    for (size_t at = 0; at + sizeof answer <= size; at += sizeof answer) memcpy(static_cast<char *>(value) + at, &answer, sizeof answer);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device) {
    if (device != 0) return smux_cpu_error(cudaErrorInvalidDevice);
    *pool = pool_of_device;
    return cudaSuccess;
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device) { return cudaDeviceGetDefaultMemPool(pool, device); }
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t) { return device == 0 ? cudaSuccess : smux_cpu_error(cudaErrorInvalidDevice); }
cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const cudaMemPoolProps *) { return cudaDeviceGetDefaultMemPool(pool, 0); }
cudaError_t cudaMemPoolDestroy(cudaMemPool_t) { return cudaSuccess; }
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t) { return cudaSuccess; }
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t, const cudaMemAccessDesc *, size_t) { return cudaSuccess; }

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr attribute, void *value) {
    if (attribute == cudaMemPoolAttrReleaseThreshold) memcpy(&release_threshold, value, sizeof release_threshold);
    return cudaSuccess;
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t, cudaMemPoolAttr attribute, void *value) {
    const int yes = 1;
    const size_t used = smux_cpu_allocated();
    switch (attribute) {
        case cudaMemPoolAttrReleaseThreshold: memcpy(value, &release_threshold, sizeof release_threshold); break;
        case cudaMemPoolReuseFollowEventDependencies:
        case cudaMemPoolReuseAllowOpportunistic:
        case cudaMemPoolReuseAllowInternalDependencies: memcpy(value, &yes, sizeof yes); break;
        default: memcpy(value, &used, sizeof used); break;
    }
    return cudaSuccess;
}

}  // extern "C"
