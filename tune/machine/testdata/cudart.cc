// A CUDA runtime without a GPU, for tests of the server of forms: memory of the device is the host's, a kernel is a function of the
// host that the program names, and everything is done at once. As the real one that nvcc links it is a library of its own
// in each program and shared library.
#include <cuda_runtime.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

typedef void (*host_kernel)(void **arguments, dim3 grid, dim3 block);

// The error after which nothing works is one for the process.
static const char lost[] = "FAKE_CUDA_LOST";

static std::map<std::string, host_kernel> &kernels() {
    static std::map<std::string, host_kernel> &all = *new std::map<std::string, host_kernel>;
    return all;
}
static std::map<const void *, std::string> &names() {
    static std::map<const void *, std::string> &all = *new std::map<const void *, std::string>;
    return all;
}

static cudaError_t last = cudaSuccess;
static bool capturing = false;
static cudaError_t done(cudaError_t error = cudaSuccess) {
    if (const char *sticky = getenv(lost)) error = cudaError_t(atoi(sticky));
    if (error) last = error;
    return error;
}

static cudaError_t made(void **p, size_t bytes) {
    *p = malloc(bytes);
    return done(*p ? cudaSuccess : cudaErrorMemoryAllocation);
}
static cudaError_t freed(void *p) {
    free(p);
    return done();
}

static struct {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
} pushed;

struct CUevent_st {
    std::chrono::steady_clock::time_point at;
};

extern "C" {
// The program calls these; a kernel is named by a part of its mangled name.
void fake_kernel(const char *name, host_kernel run) { kernels()[name] = run; }
void fake_loss(cudaError_t error) { setenv(lost, std::to_string(error).c_str(), 1); }

void **__cudaRegisterFatBinary(void *) { return nullptr; }
void __cudaRegisterFatBinaryEnd(void **) {}
void __cudaUnregisterFatBinary(void **) {}
char __cudaInitModule(void **) { return 1; }
void __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int, int) {}
void __cudaRegisterFunction(void **, const char *kernel, char *, const char *name, int, uint3 *, uint3 *, dim3 *, dim3 *, int *) { names()[kernel] = name; }
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream) {
    pushed = {grid, block, shared, stream};
    return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream) {
    *grid = pushed.grid, *block = pushed.block, *shared = pushed.shared, *static_cast<cudaStream_t *>(stream) = pushed.stream;
    return cudaSuccess;
}

cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **a, size_t, cudaStream_t) {
    if (capturing) return done();
    if (names()[kernel].find("smux_replay_differing") != std::string::npos) {  // the server's own
        const char *x = *static_cast<const char **>(a[0]), *y = *static_cast<const char **>(a[1]);
        const size_t bytes = *static_cast<size_t *>(a[2]);
        unsigned long long *found = *static_cast<unsigned long long **>(a[3]);
        for (size_t i = 0; i < bytes; i++)
            if (x[i] != y[i] && found[0]++ == 0) found[1] = bytes - i;
        return done();
    }
    if (block.x * block.y * block.z > 1024) return done(cudaErrorInvalidConfiguration);
    for (const auto &known : kernels())
        if (names()[kernel].find(known.first) != std::string::npos) return known.second(a, grid, block), done();
    return done(cudaErrorInvalidDeviceFunction);
}
cudaError_t cudaLaunchCooperativeKernel(const void *k, dim3 g, dim3 b, void **a, size_t n, cudaStream_t s) { return cudaLaunchKernel(k, g, b, a, n, s); }
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *c, const void *k, void **a) { return cudaLaunchKernel(k, c->gridDim, c->blockDim, a, 0, nullptr); }
#if CUDART_VERSION >= 13000
cudaError_t __cudaGetKernel(cudaKernel_t *k, const void *kernel) { return *k = (cudaKernel_t)kernel, done(); }
cudaError_t __cudaLaunchKernel(cudaKernel_t k, dim3 g, dim3 b, void **a, size_t n, cudaStream_t s) { return cudaLaunchKernel((const void *)k, g, b, a, n, s); }
#endif

cudaError_t cudaMalloc(void **p, size_t n) { return made(p, n); }
cudaError_t cudaMallocHost(void **p, size_t n) { return made(p, n); }
cudaError_t cudaHostAlloc(void **p, size_t n, unsigned) { return made(p, n); }
cudaError_t cudaMallocManaged(void **p, size_t n, unsigned) { return made(p, n); }
cudaError_t cudaMallocAsync(void **p, size_t n, cudaStream_t) { return made(p, n); }
cudaError_t cudaMallocFromPoolAsync(void **p, size_t n, cudaMemPool_t, cudaStream_t) { return made(p, n); }
cudaError_t cudaMallocPitch(void **p, size_t *pitch, size_t width, size_t height) { return made(p, (*pitch = (width + 511) / 512 * 512) * height); }
cudaError_t cudaMalloc3D(cudaPitchedPtr *, cudaExtent) { return done(cudaErrorNotSupported); }
cudaError_t cudaFree(void *p) { return freed(p); }
cudaError_t cudaFreeHost(void *p) { return freed(p); }
cudaError_t cudaFreeAsync(void *p, cudaStream_t) { return freed(p); }
cudaError_t cudaHostRegister(void *, size_t, unsigned) { return done(); }
cudaError_t cudaHostUnregister(void *) { return done(); }
cudaError_t cudaMemGetInfo(size_t *free, size_t *total) {
    *free = getenv("FAKE_CUDA_FULL") ? 0 : size_t(1) << 30, *total = size_t(1) << 30;
    return done();
}
cudaError_t cudaMemcpy(void *to, const void *from, size_t n, cudaMemcpyKind) { return memcpy(to, from, n), done(); }
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t n, cudaMemcpyKind, cudaStream_t) { return memcpy(to, from, n), done(); }
cudaError_t cudaMemset(void *p, int value, size_t n) { return memset(p, value, n), done(); }
cudaError_t cudaMemsetAsync(void *p, int value, size_t n, cudaStream_t) { return memset(p, value, n), done(); }

cudaError_t cudaStreamCreate(cudaStream_t *s) { return *s = nullptr, done(); }
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *s, unsigned) { return *s = nullptr, done(); }
cudaError_t cudaStreamSynchronize(cudaStream_t) { return done(); }
cudaError_t cudaStreamBeginCapture(cudaStream_t, cudaStreamCaptureMode) { return capturing = true, done(); }
cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t *) { return capturing = false, done(); }
cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus *is) {
    *is = capturing ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
    return done();
}
cudaError_t cudaLaunchHostFunc(cudaStream_t, cudaHostFn_t, void *) { return done(); }
cudaError_t cudaEventCreate(cudaEvent_t *e) { return *e = new CUevent_st, done(); }
cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t) { return e->at = std::chrono::steady_clock::now(), done(); }
cudaError_t cudaEventSynchronize(cudaEvent_t) { return done(); }
cudaError_t cudaEventDestroy(cudaEvent_t e) { return delete e, done(); }
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t a, cudaEvent_t b) {
    *ms = std::chrono::duration<float, std::milli>(b->at - a->at).count();
    return done();
}

cudaError_t cudaDeviceSynchronize() { return done(); }
cudaError_t cudaDeviceReset() { return done(); }
cudaError_t cudaGetDeviceCount(int *n) { return *n = getenv("FAKE_CUDA_DEVICES") ? atoi(getenv("FAKE_CUDA_DEVICES")) : 1, done(); }
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *o, const cudaResourceDesc *) { return *o = 1, done(); }
cudaError_t cudaGetSymbolAddress(void **p, const void *symbol) { return *p = const_cast<void *>(symbol), done(); }
cudaError_t cudaMemcpyToSymbol(const void *to, const void *from, size_t n, size_t at, cudaMemcpyKind) { return memcpy((char *)to + at, from, n), done(); }
cudaError_t cudaMemcpyToSymbolAsync(const void *to, const void *from, size_t n, size_t at, cudaMemcpyKind, cudaStream_t) { return memcpy((char *)to + at, from, n), done(); }
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *a, const void *) { return a->type = cudaMemoryTypeUnregistered, done(); }
cudaError_t cudaFuncSetAttribute(const void *, cudaFuncAttribute, int) { return done(); }
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *, int, size_t) { return *blocks = 1, done(); }
cudaError_t cudaPeekAtLastError() { return last; }
cudaError_t cudaGetLastError() {
    const cudaError_t error = last;
    last = cudaSuccess;
    return error;
}
const char *cudaGetErrorName(cudaError_t e) {
    switch (e) {
        case cudaErrorInvalidConfiguration: return "cudaErrorInvalidConfiguration";
        case cudaErrorInvalidDeviceFunction: return "cudaErrorInvalidDeviceFunction";
        case cudaErrorIllegalAddress: return "cudaErrorIllegalAddress";
        default: return "another error";
    }
}
const char *cudaGetErrorString(cudaError_t) { return "as its name says"; }
}
