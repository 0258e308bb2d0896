// JACOBI3: one step of Jacobi's method in space; the border stays.
//
// Threads lie in a plane, and go through the depth in a loop.
//
// Usage: jacobi3 [width] [height] [depth]

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

__global__ void jacobi(const float *__restrict__ in, float *__restrict__ out, int w, int h, int d)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && x < w - 1 && y > 0 && y < h - 1) {
        for (int z = 1; z < d - 1; ++z) {
            const int at = (z * h + y) * w + x;
            out[at] = 0.25f * in[at] +
                      0.125f * (in[at - 1] + in[at + 1] + in[at - w] + in[at + w] + in[at - w * h] + in[at + w * h]);
        }
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
    const int w = extent(argc, argv, 1, 39), h = extent(argc, argv, 2, 21), d = extent(argc, argv, 3, 6);
    const std::vector<float> in = numbers(w * h * d, 1);
    std::vector<float> out = in;
    float *from = toDevice(in), *to = toDevice(out);
    jacobi<<<dim3((w + 31) / 32, (h + 7) / 8), dim3(32, 8)>>>(from, to, w, h, d);
    fromDevice(out, to);
    CHECK(cudaFree(from));
    int wrong = 0;
    for (int z = 0; z < d; ++z) {
        for (int y = 0; y < h; ++y) {
            for (int x = 0; x < w; ++x) {
                const int at = (z * h + y) * w + x;
                float want = in[at];
                if (x > 0 && x < w - 1 && y > 0 && y < h - 1 && z > 0 && z < d - 1) {
                    want = 0.25f * want +
                           0.125f * (in[at - 1] + in[at + 1] + in[at - w] + in[at + w] + in[at - w * h] + in[at + w * h]);
                }
                wrong += out[at] != want;
            }
        }
    }
    return verdict(wrong);
}
