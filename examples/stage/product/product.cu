// PRODUCT: c = a b, all row-major, one thread for each element of c.
//
// A row of a is read by as many threads as the block is wide, a column of b by as many as it is high.
//
// Usage: product [rows of a] [columns of a] [columns of b]

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

__global__ void product(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int m, int n, int l)
{
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m || col >= l) {
        return;
    }
    float sum = 0;
    for (int k = 0; k < n; ++k) {
        sum += a[row * n + k] * b[k * l + col];
    }
    c[row * l + col] = sum;
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
    const int m = extent(argc, argv, 1, 37), n = extent(argc, argv, 2, 53), l = extent(argc, argv, 3, 41);
    const std::vector<float> a = numbers(m * n, 1), b = numbers(n * l, 2);
    std::vector<float> c(m * l);
    float *da = toDevice(a), *db = toDevice(b), *dc = toDevice(c);
    product<<<dim3((l + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(da, db, dc, m, n, l);
    fromDevice(c, dc);
    CHECK(cudaFree(da));
    CHECK(cudaFree(db));
    int wrong = 0;
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j < l; ++j) {
            float sum = 0;
            for (int k = 0; k < n; ++k) {
                sum += a[i * n + k] * b[k * l + j];
            }
            wrong += c[i * l + j] != sum;
        }
    }
    return verdict(wrong);
}
