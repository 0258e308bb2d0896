// TRANSPOSE: rows become columns. Threads side by side read side by side and store a row apart, or the
// other way round.
//
// Usage: transpose [width] [height]

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

// Reads along rows, and stores down columns.
__global__ void columns(const float *in, float *out, int w, int h)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) {
        out[x * h + y] = in[y * w + x];
    }
}

// Reads down columns, and stores along rows.
__global__ void rows(const float *__restrict__ in, float *__restrict__ out, int w, int h)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= h || y >= w) {
        return;
    }
    out[y * h + x] = in[x * w + y];
}

// Blocks of 32 x 8 threads go through squares of 32 x 32 elements.
__global__ void squares(const float *in, float *out, int w, int h)
{
    const int x = blockIdx.x * 32 + threadIdx.x;
    const int y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) {
        if (x < w && y + j < h) {
            out[x * h + y + j] = in[(y + j) * w + x];
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
    const int w = extent(argc, argv, 1, 75), h = extent(argc, argv, 2, 37);
    const std::vector<float> in = numbers((size_t)w * h, 1);
    int wrong = 0;
    for (int kind = 0; kind < 3; ++kind) {
        float *from = toDevice(in), *to = toDevice(std::vector<float>(in.size()));
        if (kind == 0) {
            columns<<<dim3((w + 31) / 32, (h + 7) / 8), dim3(32, 8)>>>(from, to, w, h);
        } else if (kind == 1) {
            rows<<<dim3((h + 15) / 16, (w + 15) / 16), dim3(16, 16)>>>(from, to, w, h);
        } else {
            squares<<<dim3((w + 31) / 32, (h + 31) / 32), dim3(32, 8)>>>(from, to, w, h);
        }
        std::vector<float> out(in.size());
        fromDevice(out, to);
        CHECK(cudaFree(from));
        for (int y = 0; y < h; ++y) {
            for (int x = 0; x < w; ++x) {
                wrong += out[x * h + y] != in[y * w + x];
            }
        }
    }
    return verdict(wrong);
}
