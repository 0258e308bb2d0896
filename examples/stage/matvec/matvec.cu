// MATVEC: y = a x, a row-major, one thread for each row.
//
// All threads read x, one element at a time; the rows of a are read by one thread each, side by side in
// memory but not in a warp.
//
// Usage: matvec [rows] [columns]

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        const cudaError_t status_ = (call);                                                        \
        if (status_ != cudaSuccess) {                                                              \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_));       \
            exit(EXIT_FAILURE);                                                                    \
        }                                                                                          \
    } while (0)

__global__ void matvec(const float *__restrict__ a, const float *__restrict__ x, float *__restrict__ y, int m, int n)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < m) {
        float sum = 0;
        for (int k = 0; k < n; ++k) {
            sum += a[row * n + k] * x[k];
        }
        y[row] = sum;
    }
}

// Small numbers, the same ones in every run; sums of them are exact.
static std::vector<float> numbers(size_t n, unsigned int state)
{
    std::vector<float> out(n);
    for (float &x : out) {
        state = state * 1664525u + 1013904223u;
        x = (float)(state >> 24) - 128;
    }
    return out;
}

// Copies a vector to memory of the device that it allocates.
template <typename T>
static T *toDevice(const std::vector<T> &from)
{
    T *to;
    CHECK(cudaMalloc(&to, from.size() * sizeof(T)));
    CHECK(cudaMemcpy(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
    return to;
}

// Copies memory of the device to a vector, and frees it.
template <typename T>
static void fromDevice(std::vector<T> &to, T *from)
{
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(to.data(), from, to.size() * sizeof(T), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(from));
}

// An extent: the argument of that number, or fallback without it.
static int extent(int argc, char **argv, int i, int fallback)
{
    const int n = argc > i ? atoi(argv[i]) : fallback;
    if (n < 1 || n > 100000000) {
        fprintf(stderr, "%s: an extent is from 1 to 100000000\n", argv[0]);
        exit(EXIT_FAILURE);
    }
    return n;
}

static int verdict(int wrong)
{
    printf("%s: %d values wrong\n", wrong ? "FAIL" : "PASS", wrong);
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    const int m = extent(argc, argv, 1, 300), n = extent(argc, argv, 2, 77);
    const std::vector<float> a = numbers(m * n, 1), x = numbers(n, 2);
    std::vector<float> y(m);
    float *da = toDevice(a), *dx = toDevice(x), *dy = toDevice(y);
    matvec<<<(m + 127) / 128, 128>>>(da, dx, dy, m, n);
    fromDevice(y, dy);
    CHECK(cudaFree(da));
    CHECK(cudaFree(dx));
    int wrong = 0;
    for (int i = 0; i < m; ++i) {
        float sum = 0;
        for (int k = 0; k < n; ++k) {
            sum += a[i * n + k] * x[k];
        }
        wrong += y[i] != sum;
    }
    return verdict(wrong);
}
