// FFT: 1024-point complex transforms, a batch of them.
//
// A thread block of 64 threads transforms 1024 points, 16 per thread in registers, by five radix-4
// Stockham stages. Between two stages the points are exchanged through shared memory: every thread
// saves its 16 results where the next stage expects them, and loads the 16 inputs of its next four
// butterflies. The buffer has an unused slot after every 16 points against bank conflicts.
//
// PACT'12 Table 1: FFT, 8736 bytes of shared memory and 64 threads per thread block.
//
// Usage: fft [thread blocks]     (one transform per thread block)

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#define POINTS 1024
#define THREADS 64
#define PER_THREAD (POINTS / THREADS)
#define BUTTERFLIES (PER_THREAD / 4)

// Where point x lives in the padded buffer.
#define SLOT(x) ((x) + ((x) >> 4))

#define CHECK(call)                                                                                \
    do {                                                                                           \
        const cudaError_t status_ = (call);                                                        \
        if (status_ != cudaSuccess) {                                                              \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_));       \
            exit(EXIT_FAILURE);                                                                    \
        }                                                                                          \
    } while (0)

__device__ __forceinline__ float2 operator+(float2 a, float2 b)
{
    return make_float2(a.x + b.x, a.y + b.y);
}

__device__ __forceinline__ float2 operator-(float2 a, float2 b)
{
    return make_float2(a.x - b.x, a.y - b.y);
}

__device__ __forceinline__ float2 operator*(float2 a, float2 b)
{
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

// The thread's four butterflies of a stage, in place. Butterfly i of thread t has number
// t + THREADS * i and sits in v[4 * i] ... v[4 * i + 3].
template <int STAGE>
__device__ __forceinline__ void radix4(float2 (&v)[PER_THREAD], int t)
{
    const int span = 1 << (2 * STAGE);  // the length of the transforms that are done already

#pragma unroll
    for (int i = 0; i < BUTTERFLIES; ++i) {
        if (STAGE > 0) {
            const int j = (t + THREADS * i) & (span - 1);
            const float angle = -1.57079632679f * (float)j / (float)span;
            float2 w1;
            __sincosf(angle, &w1.y, &w1.x);
            const float2 w2 = w1 * w1;
            v[4 * i + 1] = v[4 * i + 1] * w1;
            v[4 * i + 2] = v[4 * i + 2] * w2;
            v[4 * i + 3] = v[4 * i + 3] * (w1 * w2);
        }
        const float2 a = v[4 * i] + v[4 * i + 2];
        const float2 b = v[4 * i] - v[4 * i + 2];
        const float2 c = v[4 * i + 1] + v[4 * i + 3];
        const float2 d = v[4 * i + 1] - v[4 * i + 3];
        v[4 * i] = a + c;
        v[4 * i + 1] = make_float2(b.x + d.y, b.y - d.x);
        v[4 * i + 2] = a - c;
        v[4 * i + 3] = make_float2(b.x - d.y, b.y + d.x);
    }
}

// Writes the results of a stage in the order in which the next stage reads them.
template <int STAGE>
__device__ __forceinline__ void save(float2 *buffer, const float2 (&v)[PER_THREAD], int t)
{
    const int span = 1 << (2 * STAGE);

#pragma unroll
    for (int i = 0; i < BUTTERFLIES; ++i) {
        const int j = t + THREADS * i;
        const int first = ((j >> (2 * STAGE)) << (2 * STAGE + 2)) + (j & (span - 1));
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            buffer[SLOT(first + k * span)] = v[4 * i + k];
        }
    }
}

// Reads the inputs of the thread's next four butterflies.
__device__ __forceinline__ void load(const float2 *buffer, float2 (&v)[PER_THREAD], int t)
{
#pragma unroll
    for (int i = 0; i < BUTTERFLIES; ++i) {
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            v[4 * i + k] = buffer[SLOT(t + THREADS * i + (POINTS / 4) * k)];
        }
    }
}

__global__ void fft1024(const float2 *__restrict__ in, float2 *__restrict__ out)
{
    __shared__ float2 buffer[POINTS + POINTS / 16];

    const int t = threadIdx.x;
    const size_t base = (size_t)blockIdx.x * POINTS;
    float2 v[PER_THREAD];

#pragma unroll
    for (int i = 0; i < BUTTERFLIES; ++i) {
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            v[4 * i + k] = in[base + t + THREADS * i + (POINTS / 4) * k];
        }
    }
    radix4<0>(v, t);

    save<0>(buffer, v, t);
    __syncthreads();
    load(buffer, v, t);
    radix4<1>(v, t);
    __syncthreads();

    save<1>(buffer, v, t);
    __syncthreads();
    load(buffer, v, t);
    radix4<2>(v, t);
    __syncthreads();

    save<2>(buffer, v, t);
    __syncthreads();
    load(buffer, v, t);
    radix4<3>(v, t);
    __syncthreads();

    // With these strides the last exchange stays within each thread; it has the form of the others.
    save<3>(buffer, v, t);
    __syncthreads();
    load(buffer, v, t);
    radix4<4>(v, t);

#pragma unroll
    for (int i = 0; i < BUTTERFLIES; ++i) {
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            out[base + t + THREADS * i + (POINTS / 4) * k] = v[4 * i + k];
        }
    }
}

// The reference: radix 2, recursive, in double. Transforms n points of re and im, stride apart.
static void transform(const float2 *in, int n, int stride, double *re, double *im)
{
    if (n == 1) {
        re[0] = in[0].x;
        im[0] = in[0].y;
        return;
    }
    const int half = n / 2;
    transform(in, half, 2 * stride, re, im);
    transform(in + stride, half, 2 * stride, re + half, im + half);
    for (int k = 0; k < half; ++k) {
        const double angle = -2.0 * 3.14159265358979323846 * k / n;
        const double c = cos(angle), s = sin(angle);
        const double oddRe = re[half + k] * c - im[half + k] * s;
        const double oddIm = re[half + k] * s + im[half + k] * c;
        re[half + k] = re[k] - oddRe;
        im[half + k] = im[k] - oddIm;
        re[k] += oddRe;
        im[k] += oddIm;
    }
}

// A small linear congruential generator, so that every run sees the same input.
static unsigned int nextRandom(unsigned int *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

// A number in [-1, 1).
static float randomSigned(unsigned int *state)
{
    return (float)nextRandom(state) / 8388608.0f - 1.0f;
}

// FNV-1a, 64 bits.
static unsigned long long checksum(const void *data, size_t bytes)
{
    const unsigned char *p = (const unsigned char *)data;
    unsigned long long hash = 14695981039346656037ull;
    for (size_t i = 0; i < bytes; ++i) {
        hash = (hash ^ p[i]) * 1099511628211ull;
    }
    return hash;
}

// Argument number index as a count from 1 to max, or fallback where it is not given.
static int countArgument(int argc, char **argv, int index, int fallback, int max)
{
    if (index >= argc) {
        return fallback;
    }
    char *end = NULL;
    const long value = strtol(argv[index], &end, 10);
    if (argc > 2 || end == argv[index] || *end != '\0' || value < 1 || value > max) {
        fprintf(stderr, "usage: %s [thread blocks, 1..65535]\n", argv[0]);
        exit(EXIT_FAILURE);
    }
    return (int)value;
}

int main(int argc, char **argv)
{
    const int batch = countArgument(argc, argv, 1, 5, 65535);
    const size_t bytes = (size_t)batch * POINTS * sizeof(float2);

    unsigned int seed = 1;
    std::vector<float2> in((size_t)batch * POINTS), out(in.size());
    for (size_t i = 0; i < in.size(); ++i) {
        in[i].x = randomSigned(&seed);
        in[i].y = randomSigned(&seed);
    }

    float2 *deviceIn, *deviceOut;
    CHECK(cudaMalloc(&deviceIn, bytes));
    CHECK(cudaMalloc(&deviceOut, bytes));
    CHECK(cudaMemcpy(deviceIn, in.data(), bytes, cudaMemcpyHostToDevice));

    fft1024<<<batch, THREADS>>>(deviceIn, deviceOut);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(out.data(), deviceOut, bytes, cudaMemcpyDeviceToHost));

    // The results are about sqrt(POINTS) in size; fast sine and cosine cost a few 1e-5 of that.
    size_t wrong = 0;
    std::vector<double> re(POINTS), im(POINTS);
    for (int b = 0; b < batch; ++b) {
        const float2 *got = &out[(size_t)b * POINTS];
        transform(&in[(size_t)b * POINTS], POINTS, 1, re.data(), im.data());
        for (int i = 0; i < POINTS; ++i) {
            wrong += !(fabs(got[i].x - re[i]) + fabs(got[i].y - im[i]) < 2e-3);
        }
    }

    CHECK(cudaFree(deviceIn));
    CHECK(cudaFree(deviceOut));
    printf("fft: %d thread blocks, %zu wrong, checksum %016llx\n", batch, wrong,
           checksum(out.data(), bytes));
    printf("%s\n", wrong == 0 ? "PASS" : "FAIL");
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
