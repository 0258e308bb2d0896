// What the search in the stopped program (tune/replay) rests on, asked of a device: clock, events, noise of a kernel against
// itself, cold and warm L2, libraries with a runtime of their own, addresses of static variables.
//
//   nvcc -std=c++17 -O3 -arch=native -shared -Xcompiler -fPIC -DLIBRARY -o gpu-questions.so scripts/gpu-questions.cu
//   nvcc -std=c++17 -O3 -arch=native -o gpu-questions scripts/gpu-questions.cu -ldl && ./gpu-questions ./gpu-questions.so
//
// scripts/gpu-visit.sh does both. Each line says what was asked, and the answer.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>
#include <dlfcn.h>
#include <cuda_runtime.h>

static __device__ float factor = 3;
namespace { __constant__ float offset[2] = {1, 2}; }
template <int N> __device__ float templated = N;

__global__ void scale(float *p, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = p[i] * factor + offset[0] + templated<4>;
}

// What a library has: a launch by its own runtime, on the caller's stream, and the addresses of its variables.
extern "C" int question_launch(void **args, void *stream)
{
    scale<<<256, 256, 0, (cudaStream_t)stream>>>(*(float **)args[0], *(int *)args[1]);
    return cudaGetLastError();
}
extern "C" int question_address(int which, void **address)
{
    return which == 0 ? cudaGetSymbolAddress(address, factor) : which == 1 ? cudaGetSymbolAddress(address, offset) : cudaGetSymbolAddress(address, templated<4>);
}

#ifndef LIBRARY
#define CHECK(x) do { cudaError_t e_ = (x); if (e_) printf("line %d %s: %s\n", __LINE__, #x, cudaGetErrorString(e_)); } while (0)

typedef std::function<void()> Action;
static double now() { return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

__device__ long long nanoseconds() { long long t; asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)); return t; }

// Spins for so many cycles, and says how many nanoseconds that took.
__global__ void spin(long long cycles, long long *took)
{
    const long long t0 = nanoseconds(), c0 = clock64();
    while (clock64() - c0 < cycles) {}
    took[0] = clock64() - c0;
    took[1] = nanoseconds() - t0;
}
// The steps of the timer, in nanoseconds.
__global__ void steps(long long *out, int n)
{
    long long last = nanoseconds();
    for (int i = 0; i < n;) {
        const long long t = nanoseconds();
        if (t != last) out[i++] = t - last, last = t;
    }
}
// Waits for the host, for a second at most.
__global__ void hold(volatile int *go) { for (const long long c0 = clock64(); !*go && clock64() - c0 < 2000000000;) {} }
__global__ void nothing() {}
template <int N> __global__ void fresh(float *p) { if (p) *p = N; }
// Reads and writes memory, and computes in between.
__global__ void work(float *p, int n, int rounds)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float v = p[i];
        for (int r = 0; r < rounds; ++r) v = v * 1.0001f + 0.5f;
        p[i] = v;
    }
}

static double at(std::vector<double> v, double part)
{
    if (v.empty()) return NAN;
    std::sort(v.begin(), v.end());
    return v[std::min(v.size() - 1, (size_t)(part * v.size()))];
}

// The times of n launches in microseconds, each between events; before comes in front of each. held: the stream waits
// until all is queued.
static int *go;
static std::vector<double> times(int n, Action launch, Action before = nullptr, bool held = false, int each = 1)
{
    std::vector<cudaEvent_t> b(n), e(n);
    for (int i = 0; i < n; ++i) cudaEventCreate(&b[i]), cudaEventCreate(&e[i]);
    *(volatile int *)go = 0;
    if (held) hold<<<1, 1>>>(go);
    for (int i = 0; i < n; ++i) {
        if (before) before();
        cudaEventRecord(b[i]);
        for (int k = 0; k < each; ++k) launch();
        cudaEventRecord(e[i]);
        if (!held) cudaEventSynchronize(e[i]);
    }
    *(volatile int *)go = 1;
    CHECK(cudaDeviceSynchronize());
    std::vector<double> out;
    for (int i = 0; i < n; ++i) {
        float ms = 0;
        CHECK(cudaEventElapsedTime(&ms, b[i], e[i]));
        out.push_back(1000. * ms / each);
        cudaEventDestroy(b[i]), cudaEventDestroy(e[i]);
    }
    return out;
}

// How far the medians of neighbouring batches are apart, in percent: half of them, and nine tenths, lie below.
static void spread(const char *what, const std::vector<double> &t)
{
    printf("noise, %s: median %.2f us, fastest %.2f; medians of neighbouring batches differ by", what, at(t, .5), at(t, 0));
    for (size_t n : {1, 3, 7, 15, 31}) {
        std::vector<double> apart;
        double last = 0;
        for (size_t i = 0; i + n <= t.size(); i += n) {
            const double m = at(std::vector<double>(t.begin() + i, t.begin() + i + n), .5);
            if (last > 0) apart.push_back(100 * std::fabs(m / last - 1));
            last = m;
        }
        printf(" %zu: %.2f and %.2f %%%s", n, at(apart, .5), at(apart, .9), n == 31 ? "\n" : ",");
    }
}

static long long *took;
static double megahertz()
{
    spin<<<1, 1>>>(400000, took);
    CHECK(cudaDeviceSynchronize());
    return 1000. * took[0] / took[1];
}

static void libraries(const char *file, float *p, float *q)
{
    int n = 65536;
    void *args[] = {&p, &n};
    cudaStream_t own;
    CHECK(cudaStreamCreate(&own));
    std::ifstream in(file, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    std::vector<double> load, first, then;
    size_t before = 0, after = 0, all = 0;
    CHECK(cudaMemGetInfo(&before, &all));
    int equal = 0, apart = 0, set = 0, count = 20;
    std::string addresses;
    for (int i = 0; i < count; ++i) {
        const std::string copy = std::string(file) + "." + std::to_string(i);
        std::ofstream(copy, std::ios::binary) << bytes;
        const double t0 = now();
        void *library = dlopen(copy.c_str(), RTLD_NOW | RTLD_LOCAL);
        remove(copy.c_str());
        if (!library) { printf("library: not loaded: %s\n", dlerror()); return; }
        const auto launch = (int (*)(void **, void *))dlsym(library, "question_launch");
        const auto address = (int (*)(int, void **))dlsym(library, "question_address");
        load.push_back(now() - t0);
        for (float *into : {p, q}) {
            std::vector<float> ones(n, 1);
            CHECK(cudaMemcpy(into, ones.data(), 4 * n, cudaMemcpyHostToDevice));
        }
        const double t1 = now();
        const int error = launch(args, own);
        CHECK(cudaStreamSynchronize(own));
        first.push_back(now() - t1);
        if (error) printf("library: its launch says %s\n", cudaGetErrorString((cudaError_t)error));
        scale<<<256, 256, 0, own>>>(q, n);
        CHECK(cudaStreamSynchronize(own));
        std::vector<float> a(n), b(n);
        CHECK(cudaMemcpy(a.data(), p, 4 * n, cudaMemcpyDeviceToHost));
        CHECK(cudaMemcpy(b.data(), q, 4 * n, cudaMemcpyDeviceToHost));
        equal += a == b && a[0] == 8;
        // The program's variables have their own place; what they hold is copied into the library's.
        bool others = true, taken = true;
        for (int which = 0; which < 3; ++which) {
            void *mine = nullptr, *theirs = nullptr;
            const int e0 = question_address(which, &mine), e1 = address(which, &theirs);
            if (e0 || e1) addresses += std::string(" ") + cudaGetErrorName((cudaError_t)(e0 ? e0 : e1));
            others = others && mine != theirs;
            const float five = 5;
            taken = taken && !e0 && !e1 && !cudaMemcpy(mine, &five, 4, cudaMemcpyHostToDevice) && !cudaMemcpy(theirs, mine, 4, cudaMemcpyDeviceToDevice);
        }
        launch(args, own); // 8 * 5 + 5 + 5
        CHECK(cudaStreamSynchronize(own));
        CHECK(cudaMemcpy(a.data(), p, 4 * n, cudaMemcpyDeviceToHost));
        apart += others, set += taken && a[0] == 50;
        const float three = 3, one = 1, four = 4;
        CHECK(cudaMemcpyToSymbol(factor, &three, 4)); CHECK(cudaMemcpyToSymbol(offset, &one, 4)); CHECK(cudaMemcpyToSymbol(templated<4>, &four, 4));
        const double t2 = now();
        launch(args, own);
        CHECK(cudaStreamSynchronize(own));
        then.push_back(now() - t2);
    }
    CHECK(cudaMemGetInfo(&after, &all));
    printf("library: of %d loaded into the process, each with a runtime of its own, %d leave what the program's own kernel leaves, on the program's stream and memory\n", count, equal);
    printf("library: loading takes %.2f ms (the first %.2f), its first launch %.2f, another %.3f; each takes %.2f MB of the device\n", at(load, .5), load[0],
           at(first, .5), at(then, .5), (double)(before - after) / count / 1e6);
    printf("variables: cudaGetSymbolAddress finds static, anonymous and template ones in the program and in a library%s; in %d of %d libraries they lie apart from the program's, in %d the kernel sees what was copied into them\n",
           addresses.empty() ? ": yes" : (", errors:" + addresses).c_str(), apart, count, set);
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    const auto moduleOf = (int (*)(void **, void *))(driver ? dlsym(driver, "cuFuncGetModule") : nullptr);
    const auto global = (int (*)(unsigned long long *, size_t *, void *, const char *))(driver ? dlsym(driver, "cuModuleGetGlobal_v2") : nullptr);
    const auto parameter = (int (*)(void *, size_t, size_t *, size_t *))(driver ? dlsym(driver, "cuFuncGetParamInfo") : nullptr);
    cudaFunction_t function = nullptr;
    void *module = nullptr;
    if (!moduleOf || !global || cudaGetFuncBySymbol(&function, (const void *)scale) || moduleOf(&module, function)) {
        printf("variables: the driver does not tell the module\n");
        return;
    }
    for (const char *name : {"factor", "_ZL6factor", "_ZN53_GLOBAL__N__6offset", "_Z9templatedILi4EE"}) {
        unsigned long long where = 0;
        size_t size = 0;
        printf("variables: cuModuleGetGlobal of %s: %d, %zu bytes\n", name, global(&where, &size, module, name), size);
    }
    size_t from = 0, size = 0;
    if (parameter && !parameter(function, 1, &from, &size)) printf("arguments: cuFuncGetParamInfo says that the second lies at %zu and has %zu bytes\n", from, size);
    else printf("arguments: there is no cuFuncGetParamInfo\n");
}

int main(int argc, char **argv)
{
    const double started = now();
    cudaDeviceProp prop;
    if (cudaGetDeviceProperties(&prop, 0)) { fprintf(stderr, "there is no device: %s\n", cudaGetErrorString(cudaGetLastError())); return 1; }
    int runtime = 0, driver = 0;
    cudaRuntimeGetVersion(&runtime), cudaDriverGetVersion(&driver);
    printf("device: %s, %d SMs, L2 %.1f MB, runtime %d, driver %d\n", prop.name, prop.multiProcessorCount, prop.l2CacheSize / 1e6, runtime, driver);
    CHECK(cudaMallocManaged(&took, 4096 * sizeof *took));
    CHECK(cudaHostAlloc(&go, sizeof *go, cudaHostAllocMapped));
    float *p, *q;
    const size_t most = (size_t)64 << 20;
    CHECK(cudaMalloc(&p, most)); CHECK(cudaMalloc(&q, most));
    CHECK(cudaMemset(p, 0, most)); CHECK(cudaMemset(q, 0, most));
    *go = 1;
    hold<<<1, 1>>>(go), nothing<<<1, 1>>>(), work<<<1, 1>>>(p, 0, 0), scale<<<1, 1>>>(p, 0); // loaded before anything is held
    CHECK(cudaDeviceSynchronize());

    // Clock.
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    printf("clock, after half a second of nothing: %.0f MHz\n", megahertz());
    double under = 0;
    for (double ms : {5., 20., 100., 500., 2000.}) {
        for (const double t0 = now(); now() - t0 < ms - under;) { work<<<8 * prop.multiProcessorCount, 256>>>(p, 1 << 20, 2000); CHECK(cudaDeviceSynchronize()); }
        under = ms;
        printf("clock, after %.0f ms of work: %.0f MHz\n", ms, megahertz());
    }
    for (int ms : {1, 10, 100}) {
        std::this_thread::sleep_for(std::chrono::milliseconds(ms));
        printf("clock, after %d ms without work: %.0f MHz\n", ms, megahertz());
    }

    // Events and the timer.
    for (bool held : {false, true}) {
        for (bool kernel : {false, true}) {
            std::vector<double> t = times(200, [&] { if (kernel) nothing<<<1, 1>>>(); }, nullptr, held), apart;
            std::sort(t.begin(), t.end());
            for (size_t i = 1; i < t.size(); ++i) if (t[i] > t[i - 1]) apart.push_back(t[i] - t[i - 1]);
            printf("events around %s, the stream %s: %.3f us (%.3f to %.3f); the least step %.4f us\n", kernel ? "a kernel that does nothing" : "nothing", held ? "held until all is queued" : "empty",
                   at(t, .5), t[0], at(t, .9), at(apart, 0));
        }
    }
    steps<<<1, 1>>>(took, 1000);
    CHECK(cudaDeviceSynchronize());
    std::vector<double> timer(took, took + 1000);
    printf("globaltimer: steps of %.0f ns (%.0f to %.0f)\n", at(timer, .5), at(timer, 0), at(timer, 1));

    // First launches: a kernel is loaded then.
    std::vector<double> once, twice;
    for (Action f : {Action([&] { fresh<1><<<1, 1>>>(p); }), Action([&] { fresh<2><<<1, 1>>>(p); }), Action([&] { fresh<3><<<1, 1>>>(p); })})
        once.push_back(times(1, f)[0]), twice.push_back(times(1, f)[0]);
    printf("first launch of a kernel, by events: %.1f us; the second: %.1f us\n", at(once, .5), at(twice, .5));

    // Noise of a kernel against itself, and what the L2 holds.
    const int grid = 8 * prop.multiProcessorCount, n = 4 << 20;
    for (int rounds : {1, 100, 1000, 8000}) {
        const Action launch = [&] { work<<<grid, 256>>>(p, n, rounds); };
        const Action flush = [&] { cudaMemsetAsync(q, 0, std::min(most, (size_t)2 * prop.l2CacheSize)); };
        times(100, launch);
        const std::string name = std::to_string(rounds) + " rounds";
        spread((name + ", one after the other").c_str(), times(620, launch));
        spread((name + ", the stream held").c_str(), times(155, launch, nullptr, true));
        spread((name + ", ten between events").c_str(), times(310, launch, nullptr, false, 10));
        spread((name + ", cold").c_str(), times(310, launch, flush));
        spread((name + ", cold, the stream held").c_str(), times(155, launch, flush, true));
    }
    if (argc > 1) libraries(argv[1], p, q);
    printf("all of this: %.1f s\n", (now() - started) / 1000);
    return 0;
}
#endif
