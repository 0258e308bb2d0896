// LU: the update of LU decomposition by blocks. What is left of the matrix, below and to the right of a
// panel, loses the product of the panel's two parts, which have been copied to arrays of their own.
//
// Usage: lu [rows and columns that are left] [width of the panel]

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

__global__ void update(float *__restrict__ a, const float *__restrict__ lower, const float *__restrict__ upper, int n,
                       int width)
{
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < n && col < n) {
        float sum = a[row * n + col];
        for (int k = 0; k < width; ++k) {
            sum -= lower[row * width + k] * upper[k * n + col];
        }
        a[row * n + col] = sum;
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
    const int n = extent(argc, argv, 1, 50), width = extent(argc, argv, 2, 21);
    const std::vector<float> in = numbers((size_t)n * n, 1);
    const std::vector<float> lower = numbers((size_t)n * width, 2), upper = numbers((size_t)width * n, 3);
    std::vector<float> out(in.size());
    float *a = toDevice(in), *l = toDevice(lower), *u = toDevice(upper);
    update<<<dim3((n + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(a, l, u, n, width);
    fromDevice(out, a);
    CHECK(cudaFree(l));
    CHECK(cudaFree(u));
    int wrong = 0;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            float want = in[i * n + j];
            for (int k = 0; k < width; ++k) {
                want -= lower[i * width + k] * upper[k * n + j];
            }
            wrong += out[i * n + j] != want;
        }
    }
    return verdict(wrong);
}
