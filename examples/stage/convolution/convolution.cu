// CONVOLUTION: a filter of 5 x 5 over a picture; what lies outside of it counts as 0.
//
// Neighbouring threads read neighbouring windows.
//
// Usage: convolution [width] [height]

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

#define RADIUS 2
#define SIZE (2 * RADIUS + 1)

__global__ void convolution(const float *__restrict__ in, const float *__restrict__ weight, float *__restrict__ out, int w, int h)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) {
        return;
    }
    float sum = 0;
    for (int i = -RADIUS; i <= RADIUS; ++i) {
        for (int j = -RADIUS; j <= RADIUS; ++j) {
            const int row = y + i, col = x + j;
            if (row >= 0 && row < h && col >= 0 && col < w) {
                sum += in[row * w + col] * weight[(i + RADIUS) * SIZE + j + RADIUS];
            }
        }
    }
    out[y * w + x] = sum;
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
    const int w = extent(argc, argv, 1, 67), h = extent(argc, argv, 2, 35);
    const std::vector<float> in = numbers(w * h, 1), weight = numbers(SIZE * SIZE, 2);
    std::vector<float> out(w * h);
    float *from = toDevice(in), *filter = toDevice(weight), *to = toDevice(out);
    convolution<<<dim3((w + 31) / 32, (h + 7) / 8), dim3(32, 8)>>>(from, filter, to, w, h);
    fromDevice(out, to);
    CHECK(cudaFree(from));
    CHECK(cudaFree(filter));
    int wrong = 0;
    for (int y = 0; y < h; ++y) {
        for (int x = 0; x < w; ++x) {
            float sum = 0;
            for (int i = -RADIUS; i <= RADIUS; ++i) {
                for (int j = -RADIUS; j <= RADIUS; ++j) {
                    if (y + i >= 0 && y + i < h && x + j >= 0 && x + j < w) {
                        sum += in[(y + i) * w + x + j] * weight[(i + RADIUS) * SIZE + j + RADIUS];
                    }
                }
            }
            wrong += out[y * w + x] != sum;
        }
    }
    return verdict(wrong);
}
