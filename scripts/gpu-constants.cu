// Rates and latencies of a GPU: what model/gpu/gpus.toml says of it, and what taking turns costs.
//
//   smux runtime > smux.cuh && nvcc -std=c++17 -O3 -arch=native -I. -o gpu-constants scripts/gpu-constants.cu && ./gpu-constants
//
// docs/results has what it printed. Cycles are those of an SM, by clock64; of what all SMs do, the mean over them.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <numeric>
#include <random>
#include <vector>
#include <cuda_runtime.h>
#include "smux.cuh"
#define CHECK(x) do { cudaError_t e_ = (x); if (e_) printf("line %d %s: %s\n", __LINE__, #x, cudaGetErrorString(e_)); } while (0)
static int sms;
static float timed(int reps, std::function<void()> f)
{
    cudaEvent_t a, b; cudaEventCreate(&a); cudaEventCreate(&b);
    f(); f(); CHECK(cudaDeviceSynchronize());
    std::vector<float> t;
    for (int i = 0; i < reps; ++i) { cudaEventRecord(a); f(); cudaEventRecord(b); cudaEventSynchronize(b); float ms; cudaEventElapsedTime(&ms, a, b); t.push_back(ms); }
    CHECK(cudaGetLastError());
    std::sort(t.begin(), t.end());
    return t[t.size() / 2];
}
// ---- memory rates
__global__ void readAll(const float4 *p, size_t n, float *out, int rounds)
{
    float s = 0;
    for (int r = 0; r < rounds; ++r) {
        size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
        const size_t step = (size_t)gridDim.x * blockDim.x;
        for (; i + 3 * step < n; i += 4 * step) {
            float4 a = __ldcg(p + i), b = __ldcg(p + i + step), c = __ldcg(p + i + 2 * step), d = __ldcg(p + i + 3 * step);
            s += a.x + a.y + a.z + a.w + b.x + b.y + b.z + b.w + c.x + c.y + c.z + c.w + d.x + d.y + d.z + d.w;
        }
    }
    if (s == 1.2345f) *out = s;
}
__global__ void copyAll(const float4 *p, float4 *q, size_t n)
{
    const size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) q[i] = p[i];
}
__global__ void copyWords(const float *p, float *q, size_t n)   // one element a thread, as kernels do it
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) q[i] = p[i];
}
__global__ void writeAll(float4 *q, size_t n)
{
    const size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) q[i] = make_float4(1, 2, 3, 4);
}
// Each block reads its own part of L1 size again and again.
template <typename T> __global__ void readOwn(const T *p, int per, int rounds, float *out, long long *cycles)
{
    const T *mine = p + (size_t)blockIdx.x * per;
    float s = 0;
    for (int i = threadIdx.x; i < per; i += blockDim.x) { T v = __ldca(mine + i); s += *(const float *)&v; }
    __syncthreads();
    const long long t0 = clock64();
    for (int r = 0; r < rounds; ++r)
#pragma unroll 4
        for (int i = threadIdx.x; i < per; i += blockDim.x) { T v = __ldca(mine + i); s += *(const float *)&v; }
    __syncthreads();
    const long long t1 = clock64();
    if (threadIdx.x == 0) cycles[blockIdx.x] = t1 - t0;
    if (s == 1.2345f) *out = s;
}
// ---- shared memory: a warp's lanes are STRIDE words apart
template <typename T, int STRIDE> __global__ void readShared(int rounds, float *out, long long *cycles)
{
    __shared__ __align__(16) T s[1024];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) ((float *)s)[i] = 0;
    __syncthreads();
    const int lane = threadIdx.x & 31;
    int at = lane * STRIDE & 1023;
    float sum = 0;
    const long long t0 = clock64();
    for (int r = 0; r < rounds; ++r) {
#pragma unroll
        for (int u = 0; u < 16; ++u) { T v = ((volatile T *)s)[(at + u * 0) & 1023]; sum += v; }
    }
    __syncthreads();
    const long long t1 = clock64();
    if (threadIdx.x == 0) cycles[blockIdx.x] = t1 - t0;
    if (sum == 1.2345f) *out = sum;
}
// ---- latencies
__global__ void chase(const unsigned *p, int steps, int how, unsigned *out, long long *cycles)
{
    unsigned i = 0;
    for (int k = 0; k < (how == 0 ? steps : 0); ++k) asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(i) : "l"(p + i));
    const long long t0 = clock64();
    for (int k = 0; k < steps; ++k) {
        if (how == 0) asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(i) : "l"(p + i));
        else asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(i) : "l"(p + i));
    }
    const long long t1 = clock64();
    *out = i; *cycles = t1 - t0;
}
__global__ void chaseShared(int steps, unsigned *out, long long *cycles)
{
    __shared__ unsigned s[1024];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) s[i] = (i + 33) & 1023;
    __syncthreads();
    unsigned i = threadIdx.x;
    const long long t0 = clock64();
    for (int k = 0; k < steps; ++k) i = ((volatile unsigned *)s)[i];
    const long long t1 = clock64();
    if (threadIdx.x == 0) { *out = i; *cycles = t1 - t0; }
}
// ---- arithmetic: KIND, CHAINS that do not need each other
template <int KIND, int CHAINS> __global__ void arithmetic(int rounds, float *out, long long *cycles, float x, int y)
{
    float f[CHAINS]; int n[CHAINS]; double d[CHAINS];
    for (int c = 0; c < CHAINS; ++c) { f[c] = x + c; n[c] = y + c; d[c] = x + c; }
    __syncthreads();
    const long long t0 = clock64();
    for (int r = 0; r < rounds; ++r) {
#pragma unroll
        for (int u = 0; u < 16; ++u)
#pragma unroll
            for (int c = 0; c < CHAINS; ++c) {
                if (KIND == 0) f[c] = __fmaf_rn(f[c], x, x);
                if (KIND == 1) n[c] = (n[c] + y) ^ u;
                if (KIND == 2) n[c] = n[c] * y + y;
                if (KIND == 3) asm volatile("rsqrt.approx.ftz.f32 %0, %0;" : "+f"(f[c]));
                if (KIND == 4) d[c] = d[c] * x + x;
            }
    }
    __syncthreads();
    const long long t1 = clock64();
    float s = 0;
    for (int c = 0; c < CHAINS; ++c) s += f[c] + n[c] + (float)d[c];
    if (threadIdx.x == 0) cycles[blockIdx.x] = t1 - t0;
    if (s == 1.2345f) *out = s;
}
// ---- barriers and turns
__global__ void barriersOnly(int rounds, long long *cycles)
{
    __syncthreads();
    const long long t0 = clock64();
#pragma unroll 8
    for (int r = 0; r < rounds; ++r) asm volatile("bar.sync 0;" ::: "memory");
    const long long t1 = clock64();
    if (threadIdx.x == 0) cycles[blockIdx.x] = t1 - t0;
}
template <class V> __global__ void turns(int rounds, unsigned blocks, long long *cycles)
{
    const V vtb(blocks);
    if (!vtb.active) return;
    vtb.start();
    const long long t0 = clock64();
    for (int r = 0; r < rounds; ++r) { vtb.acquire(); vtb.release(); }
    const long long t1 = clock64();
    vtb.finish();
    if (threadIdx.x == 0 && threadIdx.z == 0) cycles[blockIdx.x] = t1 - t0;
}
template <class V> __global__ void locks(int rounds, unsigned blocks, long long *cycles)
{
    const V vtb(blocks);
    if (!vtb.active) return;
    const long long t0 = clock64();
    for (int r = 0; r < rounds; ++r) { vtb.acquire(); vtb.release(); }
    const long long t1 = clock64();
    if (threadIdx.x == 0 && threadIdx.z == 0) cycles[blockIdx.x] = t1 - t0;
}
__global__ void nothing(int *p) { if (p && threadIdx.x == 9999) *p = 1; }
extern __shared__ char pool[];
__global__ void resident(int *now, int *most, int cycles, int all)
{
    unsigned sm; asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    const long long begin = clock64();
    if (threadIdx.x == 0) { pool[0] = 1; atomicMax(&most[sm], atomicAdd(&now[sm], 1) + 1); }
    if (threadIdx.x == 0 || all) while (clock64() - begin < cycles) {}
    if (all) __syncthreads();
    if (threadIdx.x == 0) atomicSub(&now[sm], 1);
}
static long long *dc; static float *df; static unsigned *du;
static double meanCycles(int blocks)
{
    std::vector<long long> h(blocks);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(h.data(), dc, blocks * sizeof(long long), cudaMemcpyDeviceToHost));
    return std::accumulate(h.begin(), h.end(), 0.0) / blocks;
}
static void latency(const char *what, size_t words, size_t stride, int how, int steps)
{
    // A random cycle over every stride-th word.
    const size_t n = words / stride;
    std::vector<unsigned> order(n), next(words, 0);
    std::iota(order.begin(), order.end(), 0u);
    std::mt19937 random(1);
    std::shuffle(order.begin() + 1, order.end(), random);
    for (size_t i = 0; i < n; ++i) next[order[i] * stride] = (unsigned)(order[(i + 1) % n] * stride);
    unsigned *p; CHECK(cudaMalloc(&p, words * 4)); CHECK(cudaMemcpy(p, next.data(), words * 4, cudaMemcpyHostToDevice));
    if (words * 4 > (256u << 20)) { void *x; CHECK(cudaMalloc(&x, 256 << 20)); CHECK(cudaMemset(x, 0, 256 << 20)); CHECK(cudaFree(x)); }
    else chase<<<1, 1>>>(p, steps, how, du, dc);   // warm
    chase<<<1, 1>>>(p, steps, how, du, dc);
    printf("latency %s (%zu kB, every %zu bytes): %.1f cycles\n", what, words * 4 / 1024, stride * 4, meanCycles(1) / steps);
    CHECK(cudaFree(p));
}
template <class V> static void turn(const char *name, int n, int threads, int perSM)
{
    const int rounds = 2000, grid = sms * perSM;
    turns<V><<<grid, dim3(threads, 1, n)>>>(rounds, grid * n, dc);
    turns<V><<<grid, dim3(threads, 1, n)>>>(rounds, grid * n, dc);
    const double c = meanCycles(grid) / rounds;
    printf("turn %s, %d blocks an SM: %.1f cycles a round, %.1f a turn\n", name, perSM, c, c / n);
}
template <class V> static void lock(const char *name, int n, int threads, int perSM)
{
    const int rounds = 2000, grid = sms * perSM;
    locks<V><<<grid, dim3(threads, 1, n)>>>(rounds, grid * n, dc);
    locks<V><<<grid, dim3(threads, 1, n)>>>(rounds, grid * n, dc);
    const double c = meanCycles(grid) / rounds;
    printf("lock %s, %d blocks an SM: %.1f cycles a round, %.1f a turn\n", name, perSM, c, c / n);
}
template <int K, int C> static void rate(const char *name)
{
    const int rounds = 200;
    const int warps[] = {1, 2, 4, 8, 16, 32};
    printf("arithmetic %s, %d chains:", name, C);
    for (int w : warps) {
        arithmetic<K, C><<<sms, 32 * w>>>(rounds, df, dc, 1.000001f, 3);
        arithmetic<K, C><<<sms, 32 * w>>>(rounds, df, dc, 1.000001f, 3);
        const double c = meanCycles(sms);
        printf("  %d warps %.2f cycles an operation of a warp, %.2f per cycle and SM", w, c / (rounds * 16 * C), w * rounds * 16.0 * C / c);
    }
    printf("\n");
}
template <typename T, int S> static void shared(const char *name)
{
    const int rounds = 500;
    printf("shared %s:", name);
    for (int w : {1, 4, 8, 16, 32}) {
        readShared<T, S><<<sms, 32 * w>>>(rounds, df, dc);
        readShared<T, S><<<sms, 32 * w>>>(rounds, df, dc);
        printf("  %d warps %.2f", w, meanCycles(sms) / (rounds * 16.0 * w));
    }
    printf(" cycles of the SM for a warp's access\n");
}
template <typename T> static void own(const char *name, int bytes, int threads)
{
    const int per = bytes / sizeof(T), rounds = 50;
    T *p; CHECK(cudaMalloc(&p, (size_t)sms * bytes)); CHECK(cudaMemset(p, 0, (size_t)sms * bytes));
    readOwn<T><<<sms, threads>>>(p, per, rounds, df, dc);
    readOwn<T><<<sms, threads>>>(p, per, rounds, df, dc);
    const double c = meanCycles(sms);
    printf("own %s, %d kB, %d threads: %.1f bytes per cycle and SM, %.2f cycles for a warp's access\n", name, bytes / 1024, threads, (double)bytes * rounds / c, c / (bytes * rounds / (32.0 * sizeof(T))));
    CHECK(cudaFree(p));
}
static void count(int threads, int bytes, int all)
{
    static int *now, *most;
    if (!now) { CHECK(cudaMalloc(&now, 4096)); CHECK(cudaMalloc(&most, 4096)); }
    CHECK(cudaMemset(now, 0, 4096)); CHECK(cudaMemset(most, 0, 4096));
    resident<<<sms * 64, threads, bytes>>>(now, most, 30000, all);
    int host[1024]; CHECK(cudaMemcpy(host, most, 4096, cudaMemcpyDeviceToHost));
    int said; CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&said, resident, threads, bytes));
    printf("resident, %d threads, %d bytes, %s: %d to %d, the call says %d\n", threads, bytes, all ? "all stay" : "one thread stays", *std::min_element(host, host + sms), *std::max_element(host, host + sms), said);
}
int main()
{
    if (cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0)) return 1;
    CHECK(cudaMalloc(&dc, 1 << 20)); CHECK(cudaMalloc(&df, 4)); CHECK(cudaMalloc(&du, 4));
    const size_t big = (size_t)1 << 30;
    float4 *a, *b; CHECK(cudaMalloc(&a, big)); CHECK(cudaMalloc(&b, big));
    CHECK(cudaMemset(a, 0, big)); CHECK(cudaMemset(b, 0, big));
    // The clock: cycles over time.
    { cudaEvent_t e0, e1; cudaEventCreate(&e0); cudaEventCreate(&e1);
      arithmetic<0, 4><<<sms, 256>>>(40000, df, dc, 1.0001f, 3); CHECK(cudaDeviceSynchronize());
      cudaEventRecord(e0); arithmetic<0, 4><<<sms, 256>>>(40000, df, dc, 1.0001f, 3); cudaEventRecord(e1); CHECK(cudaEventSynchronize(e1));
      float ms; cudaEventElapsedTime(&ms, e0, e1); printf("clock: %.1f MHz over %.1f ms\n", meanCycles(1) / ms / 1000, ms); }
    const size_t n = big / 16;
    printf("DRAM read %.0f GB/s\n", big / timed(7, [&] { readAll<<<sms * 8, 512>>>(a, n, df, 1); }) / 1e6);
    printf("DRAM copy %.0f GB/s (both ways)\n", 2 * big / timed(7, [&] { copyAll<<<sms * 8, 512>>>(a, b, n); }) / 1e6);
    printf("DRAM copy by words, 256 threads %.0f GB/s (both ways)\n", 2 * big / timed(7, [&] { copyWords<<<(unsigned)(big / 4 / 256), 256>>>((float *)a, (float *)b, big / 4); }) / 1e6);
    printf("DRAM write %.0f GB/s\n", big / timed(7, [&] { writeAll<<<sms * 8, 512>>>(b, n); }) / 1e6);
    for (int mb : {16, 24, 32, 40, 48, 64}) {
        const size_t bytes = (size_t)mb << 20; const int rounds = 2048 / mb; // long beside a launch
        for (int threads : {512, 1024})
            printf("L2 read, %d MB, %d threads an SM: %.0f GB/s\n", mb, 2 * threads, bytes * rounds / timed(5, [&] { readAll<<<sms * 2, threads>>>(a, bytes / 16, df, rounds); }) / 1e6);
    }
    own<float>("float", 16 << 10, 1024); own<float4>("float4", 16 << 10, 1024); own<float>("float", 128 << 10, 1024); own<float4>("float4", 128 << 10, 1024); own<float>("float", 16 << 10, 128);
    shared<float, 1>("one bank a lane"); shared<float, 2>("2-way"); shared<float, 4>("4-way"); shared<float, 8>("8-way"); shared<float, 32>("32-way"); shared<double, 1>("8 bytes a lane");
    latency("L1", 4096, 8, 0, 4096);
    latency("L1, cg", 4096, 8, 1, 4096);
    latency("L2", 1 << 20, 32, 1, 20000);
    latency("L2", 4 << 20, 32, 1, 20000);
    latency("L2 far", 8 << 20, 32, 1, 20000);
    latency("DRAM", 128 << 20, 1024, 1, 20000);
    chaseShared<<<1, 1>>>(4096, du, dc); printf("latency shared, one thread: %.1f cycles\n", meanCycles(1) / 4096);
    chaseShared<<<1, 32>>>(4096, du, dc); printf("latency shared, a warp: %.1f cycles\n", meanCycles(1) / 4096);
    rate<0, 1>("fma"); rate<0, 2>("fma"); rate<0, 4>("fma"); rate<1, 1>("add and xor"); rate<1, 4>("add and xor"); rate<2, 1>("imad"); rate<2, 4>("imad"); rate<3, 1>("rsqrt"); rate<3, 4>("rsqrt"); rate<4, 1>("fp64 fma"); rate<4, 4>("fp64 fma");
    for (int w : {1, 2, 4, 8, 16, 32}) { barriersOnly<<<sms, 32 * w>>>(4000, dc); barriersOnly<<<sms, 32 * w>>>(4000, dc); printf("barrier, %d warps: %.1f cycles\n", w, meanCycles(sms) / 4000); }
    for (int k : {2, 4, 8, 16}) { barriersOnly<<<sms * k, 64>>>(4000, dc); barriersOnly<<<sms * k, 64>>>(4000, dc); printf("barrier, 2 warps, %d blocks an SM: %.1f cycles\n", k, meanCycles(sms * k) / 4000); }
    for (int k : {1, 4, 8}) {
        turn<smux::vtb_named<2, 64>>("named N=2 of 64", 2, 64, k);
        turn<smux::vtb_named<4, 64>>("named N=4 of 64", 4, 64, k);
        turn<smux::vtb_named<6, 64>>("named N=6 of 64", 6, 64, k > 4 ? 5 : k);
        turn<smux::vtb_named<2, 256>>("named N=2 of 256", 2, 256, k > 4 ? 4 : k);
        turn<smux::vtb_numbered<1, 4, 64>>("numbered N=4 of 64", 4, 64, k > 1 ? 1 : k);
        lock<smux::vtb_lock<2, 1, 64>>("N=2 of 64", 2, 64, k);
        lock<smux::vtb_lock<4, 1, 64>>("N=4 of 64", 4, 64, k);
        lock<smux::vtb_lock<4, 2, 64>>("N=4 M=2 of 64", 4, 64, k);
        lock<smux::vtb_lock<2, 1, 256>>("N=2 of 256", 2, 256, k > 4 ? 4 : k);
    }
    for (int t : {32, 64, 128, 256, 512, 1024}) {
        const int blocks = 1 << 20;
        const float ms = timed(5, [&] { nothing<<<blocks, t>>>(nullptr); });
        printf("blocks that do nothing, %d threads: %.2f ns each, %.0f ns of an SM\n", t, ms * 1e6 / blocks, ms * 1e6 / blocks * sms);
    }
    CHECK(cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 * 1024));
    for (int s : {4096, 16384, 98304}) {
        const int blocks = 1 << 18;
        const float ms = timed(5, [&] { nothing<<<blocks, 128, s>>>(nullptr); });
        printf("blocks that do nothing, 128 threads, %d bytes: %.2f ns each, %.0f ns of an SM\n", s, ms * 1e6 / blocks, ms * 1e6 / blocks * sms);
    }
    printf("launch that does nothing: %.2f us\n", 1000 * timed(30, [&] { nothing<<<1, 32>>>(nullptr); }));
    count(96, 4, 0); count(96, 4, 1); count(64, 4, 0); count(64, 4, 1); count(128, 4, 0); count(256, 4, 0); count(1024, 4, 1);
    CHECK(cudaFuncSetAttribute(resident, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024));
    for (int s : {1024, 2048, 3072, 4096, 4224, 5120, 8192, 8704, 11 * 1024, 16256, 24 * 1024, 31 * 1024, 32 * 1024, 37 * 1024, 48 * 1024, 56 * 1024, 75 * 1024, 113 * 1024, 114 * 1024, 227 * 1024}) count(32, s, 1);
    return 0;
}
