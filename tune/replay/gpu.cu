// A GPU under the server of forms. The program is linked with this, and with --wrap for each function of SMUX_WRAP: its launches
// and allocations come here first. Everything is done by the runtime API. Calls of this file are wrapped as well.
#include <cuda_runtime.h>
#include <cxxabi.h>
#include <unistd.h>

#include <chrono>
#include <mutex>
#include <thread>

#include "replay_server.h"

#define SMUX_WRAP(type, name, ...)           \
    extern "C" type __real_##name(__VA_ARGS__); \
    extern "C" type __wrap_##name(__VA_ARGS__)

SMUX_WRAP(cudaError_t, cudaMalloc, void **p, size_t bytes);
SMUX_WRAP(cudaError_t, cudaMallocHost, void **p, size_t bytes);

// The bytes that differ, and of the first of them the distance to the end.
__global__ void smux_replay_differing(const char *a, const char *b, size_t bytes, unsigned long long *found) {
    unsigned long long n = 0, left = 0;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < bytes; i += size_t(gridDim.x) * blockDim.x)
        if (a[i] != b[i] && n++ == 0) left = bytes - i;
    if (n == 0) return;
    atomicAdd(found, n);
    atomicMax(found + 1, left);
}

namespace {

// What is known of the program. Leaked: kernels are registered before and memory is freed after all variables' time.
struct program {
    std::recursive_mutex turn;  // held while forms are launched: other threads' calls wait
    std::map<const void *, const char *> kernels;
    std::map<std::string, const void *> variables;
    std::map<char *, size_t> live;
    std::thread::id user;
    const char *refused = nullptr;  // why no launch can be stopped at
    bool stopped = false;
};

program &all() {
    static program &one = *new program;
    return one;
}

struct call {
    std::lock_guard<std::recursive_mutex> turn;
    call() : turn(all().turn) {
        program &p = all();
        const std::thread::id me = std::this_thread::get_id();
        if (p.user == std::thread::id()) p.user = me;
        if (p.user != me) p.refused = "several threads of the host use the device";
    }
};

cudaError_t made(cudaError_t error, void *const *p, size_t bytes) {
    if (error == cudaSuccess && *p && bytes) all().live[static_cast<char *>(*p)] = bytes;
    return error;
}

cudaError_t freed(cudaError_t error, void *p) {
    all().live.erase(static_cast<char *>(p));
    return error;
}

// After an error of the device nothing can be launched any more.
void must(cudaError_t error) {
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s: %s\n", cudaGetErrorName(error), cudaGetErrorString(error));
    fflush(stderr);
    _exit(1);
}

// Keeps the stream from going on until a launch and its events are in the queue; it ends by itself.
volatile bool held;
void CUDART_CB hold(void *) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(5);
    while (held && std::chrono::steady_clock::now() < until) {
    }
}

struct gpu : smux_replay::device {
    cudaStream_t stream;
    cudaEvent_t begin, end;
    unsigned long long *found;

    gpu() {
        must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
        must(cudaEventCreate(&begin));
        must(cudaEventCreate(&end));
        must(__real_cudaMalloc(reinterpret_cast<void **>(&found), 2 * sizeof *found));
    }
    std::map<char *, size_t> live() override { return all().live; }
    char *keep(size_t bytes) override {
        size_t free = 0, total = 0;
        void *p = nullptr;
        must(cudaMemGetInfo(&free, &total));
        if (free > bytes + total / 8 && __real_cudaMalloc(&p, bytes) == cudaSuccess) return static_cast<char *>(p);
        return __real_cudaMallocHost(&p, bytes) == cudaSuccess ? static_cast<char *>(p) : nullptr;
    }
    void copy(char *to, const char *from, size_t bytes) override {
        must(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream));
        must(cudaStreamSynchronize(stream));
    }
    size_t differing(const char *a, const char *b, size_t bytes, size_t *first) override {
        unsigned long long got[2];
        must(cudaMemsetAsync(found, 0, sizeof got, stream));
        smux_replay_differing<<<1024, 256, 0, stream>>>(a, b, bytes, found);
        must(cudaGetLastError());
        copy(reinterpret_cast<char *>(got), reinterpret_cast<char *>(found), sizeof got);
        *first = size_t(bytes - got[1]);
        return size_t(got[0]);
    }
    std::string run(smux_replay::form f, void **arguments, double *nanoseconds) override {
        held = true;
        must(cudaLaunchHostFunc(stream, hold, nullptr));
        must(cudaEventRecord(begin, stream));
        const int error = f(arguments, stream);
        must(cudaEventRecord(end, stream));
        held = false;
        must(cudaDeviceSynchronize());
        float ms = 0;
        must(cudaEventElapsedTime(&ms, begin, end));
        *nanoseconds = ms * 1e6;
        return error ? cudaGetErrorName(cudaError_t(error)) : "";
    }
};

// A kernel by the address or handle that is launched, as C++ takes it at file scope.
std::string name_of(const void *kernel) {
    const auto known = all().kernels.find(kernel);
    const char *mangled = known != all().kernels.end() ? known->second : "";
    char *text = abi::__cxa_demangle(mangled, nullptr, nullptr, nullptr);
    std::string name = text ? text : mangled;
    free(text);
    const std::string unnamed = "(anonymous namespace)::";
    for (size_t at; (at = name.find(unnamed)) != std::string::npos;) name.erase(at, unnamed.size());
    size_t begin = 0;
    int depth = 0;
    for (size_t i = 0; i < name.size(); i++) {  // "void k<16, float>(float const*)"
        const char c = name[i];
        if (c == '(' && depth == 0) return name.substr(begin, i - begin);
        if (c == ' ' && depth == 0) begin = i + 1;
        depth += (c == '<') - (c == '>');
    }
    return name.substr(begin);
}

// Why the program can't be stopped at a launch on this stream, null where it can.
const char *refusal(cudaStream_t stream) {
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    int devices = 0;
    cudaError_t error = cudaStreamIsCapturing(stream, &capture);
    if (error == cudaErrorStreamCaptureImplicit || capture != cudaStreamCaptureStatusNone) return "the launch is captured into a graph";
    if (error == cudaSuccess) error = cudaGetDeviceCount(&devices);
    if (error == cudaSuccess) error = cudaDeviceSynchronize();
    if (error != cudaSuccess) return cudaGetErrorString(error);
    return devices != 1 ? "the program sees several devices" : all().refused;
}

template <class Real>
cudaError_t at_launch(const void *kernel, dim3 g, dim3 b, size_t shared, void **arguments, cudaStream_t stream, const char *refused, Real real) {
    const call mine;
    std::string name;
    if (all().stopped || smux_replay::asked().left <= 0 || !smux_replay::is_asked((name = name_of(kernel)).c_str())) return real();
    if (!refused) refused = refusal(stream);
    if (refused) {
        smux_replay::say("error %s", refused);
        return real();
    }
    all().stopped = true;
    cudaError_t error = cudaSuccess;
    const smux_replay::launch l = {{g.x, g.y, g.z}, {b.x, b.y, b.z}, shared, name.c_str(), arguments, [&] {
                                       error = real();
                                       must(cudaDeviceSynchronize());
                                   }};
    gpu device;
    smux_replay::server(device, l).serve();
    all().stopped = false;
    return error;
}

}  // namespace

SMUX_WRAP(void, __cudaRegisterFunction, void **module, const char *host, char *device, const char *name, int threads, uint3 *t, uint3 *b, dim3 *bd,
          dim3 *gd, int *w) {
    all().kernels[host] = name;
    __real___cudaRegisterFunction(module, host, device, name, threads, t, b, bd, gd, w);
}

SMUX_WRAP(void, __cudaRegisterVar, void **module, char *host, char *device, const char *name, int external, size_t bytes, int constant, int global) {
    all().variables[name] = host;
    __real___cudaRegisterVar(module, host, device, name, external, bytes, constant, global);
}

// The device's memory of a constant of the program.
extern "C" void *smux_replay_variable(const char *name) {
    void *p = nullptr;
    const auto known = all().variables.find(name);
    return known != all().variables.end() && cudaGetSymbolAddress(&p, known->second) == cudaSuccess ? p : nullptr;
}

SMUX_WRAP(cudaError_t, cudaLaunchKernel, const void *k, dim3 g, dim3 b, void **a, size_t n, cudaStream_t s) {
    return at_launch(k, g, b, n, a, s, nullptr, [&] { return __real_cudaLaunchKernel(k, g, b, a, n, s); });
}
SMUX_WRAP(cudaError_t, cudaLaunchCooperativeKernel, const void *k, dim3 g, dim3 b, void **a, size_t n, cudaStream_t s) {
    return at_launch(k, g, b, n, a, s, "the launch is a cooperative one", [&] { return __real_cudaLaunchCooperativeKernel(k, g, b, a, n, s); });
}
#if CUDART_VERSION >= 11080
SMUX_WRAP(cudaError_t, cudaLaunchKernelExC, const cudaLaunchConfig_t *c, const void *k, void **a) {
    return at_launch(k, c->gridDim, c->blockDim, c->dynamicSmemBytes, a, c->stream, c->numAttrs ? "the launch has attributes" : nullptr,
                     [&] { return __real_cudaLaunchKernelExC(c, k, a); });
}
#endif
#if CUDART_VERSION >= 13000  // what <<<…>>> calls there
SMUX_WRAP(cudaError_t, __cudaGetKernel, cudaKernel_t *k, const void *host) {
    const call mine;
    const cudaError_t error = __real___cudaGetKernel(k, host);
    const auto known = all().kernels.find(host);
    if (error == cudaSuccess && known != all().kernels.end()) all().kernels[(const void *)*k] = known->second;
    return error;
}
SMUX_WRAP(cudaError_t, __cudaLaunchKernel, cudaKernel_t k, dim3 g, dim3 b, void **a, size_t n, cudaStream_t s) {
    return at_launch((const void *)k, g, b, n, a, s, nullptr, [&] { return __real___cudaLaunchKernel(k, g, b, a, n, s); });
}
#endif

SMUX_WRAP(cudaError_t, cudaMalloc, void **p, size_t bytes) { const call mine; return made(__real_cudaMalloc(p, bytes), p, bytes); }
SMUX_WRAP(cudaError_t, cudaMallocHost, void **p, size_t bytes) { const call mine; return made(__real_cudaMallocHost(p, bytes), p, bytes); }
SMUX_WRAP(cudaError_t, cudaHostAlloc, void **p, size_t bytes, unsigned f) { const call mine; return made(__real_cudaHostAlloc(p, bytes, f), p, bytes); }
SMUX_WRAP(cudaError_t, cudaHostRegister, void *p, size_t bytes, unsigned f) { const call mine; return made(__real_cudaHostRegister(p, bytes, f), &p, bytes); }
SMUX_WRAP(cudaError_t, cudaMallocManaged, void **p, size_t bytes, unsigned f) { const call mine; return made(__real_cudaMallocManaged(p, bytes, f), p, bytes); }
SMUX_WRAP(cudaError_t, cudaMallocPitch, void **p, size_t *pitch, size_t width, size_t height) {
    const call mine;
    const cudaError_t error = __real_cudaMallocPitch(p, pitch, width, height);
    return made(error, p, *pitch * height);
}
SMUX_WRAP(cudaError_t, cudaMalloc3D, cudaPitchedPtr *p, cudaExtent e) {
    const call mine;
    const cudaError_t error = __real_cudaMalloc3D(p, e);
    return made(error, &p->ptr, p->pitch * e.height * e.depth);
}
#if CUDART_VERSION >= 11020
SMUX_WRAP(cudaError_t, cudaMallocAsync, void **p, size_t bytes, cudaStream_t s) { const call mine; return made(__real_cudaMallocAsync(p, bytes, s), p, bytes); }
SMUX_WRAP(cudaError_t, cudaMallocFromPoolAsync, void **p, size_t bytes, cudaMemPool_t pool, cudaStream_t s) {
    const call mine;
    return made(__real_cudaMallocFromPoolAsync(p, bytes, pool, s), p, bytes);
}
SMUX_WRAP(cudaError_t, cudaFreeAsync, void *p, cudaStream_t s) { const call mine; return freed(__real_cudaFreeAsync(p, s), p); }
#endif
SMUX_WRAP(cudaError_t, cudaFree, void *p) { const call mine; return freed(__real_cudaFree(p), p); }
SMUX_WRAP(cudaError_t, cudaFreeHost, void *p) { const call mine; return freed(__real_cudaFreeHost(p), p); }
SMUX_WRAP(cudaError_t, cudaHostUnregister, void *p) { const call mine; return freed(__real_cudaHostUnregister(p), p); }
SMUX_WRAP(cudaError_t, cudaDeviceReset, ) {
    const call mine;
    all().live.clear();
    return __real_cudaDeviceReset();
}
SMUX_WRAP(cudaError_t, cudaCreateSurfaceObject, cudaSurfaceObject_t *o, const cudaResourceDesc *d) {
    all().refused = "the program has surfaces, whose memory can't be compared";
    return __real_cudaCreateSurfaceObject(o, d);
}
