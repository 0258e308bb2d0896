// MV: matrix-vector multiplication, y = A x.
//
// One thread computes one row. A thread that walked along its row would make the warp read 32
// different rows at once, so 32x32 tiles of the matrix pass through shared memory: each tile is
// loaded row by row, coalesced, and then read row-wise by its owners. The 33rd column keeps the
// row-wise reads free of bank conflicts.
//
// PACT'12 Table 1: MV, 4268 bytes of shared memory and 32 threads per thread block.
//
// Usage: mv [thread blocks] [column tiles]

#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#define TILE 32

#define CHECK(call)                                                                                \
    do {                                                                                           \
        const cudaError_t status_ = (call);                                                        \
        if (status_ != cudaSuccess) {                                                              \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_));       \
            exit(EXIT_FAILURE);                                                                    \
        }                                                                                          \
    } while (0)

// Multiplies the rows of a (row-major, cols columns, a multiple of TILE) by x. A thread block of
// TILE threads takes TILE rows.
__global__ void multiply(const float *__restrict__ a, const float *__restrict__ x,
                         float *__restrict__ y, int cols)
{
    __shared__ float tile[TILE][TILE + 1];

    const int tx = threadIdx.x;
    const float *rows = a + (size_t)blockIdx.x * TILE * cols;
    float sum = 0.0f;

    for (int col = 0; col < cols; col += TILE) {
#pragma unroll
        for (int r = 0; r < TILE; ++r) {
            tile[r][tx] = rows[(size_t)r * cols + col + tx];
        }
        __syncthreads();

#pragma unroll
        for (int k = 0; k < TILE; ++k) {
            sum += tile[tx][k] * x[col + k];
        }
        __syncthreads();  // the next tile overwrites this one
    }

    y[blockIdx.x * TILE + tx] = sum;
}

// A small linear congruential generator, so that every run sees the same input.
static unsigned int nextRandom(unsigned int *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

// Multiples of 1/8 in [-1, 1): all sums below are exact in float, in any order.
static float randomEighth(unsigned int *state)
{
    return (float)((int)(nextRandom(state) & 15) - 8) / 8.0f;
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
    if (argc > 3 || end == argv[index] || *end != '\0' || value < 1 || value > max) {
        fprintf(stderr, "usage: %s [thread blocks, 1..65535] [column tiles, 1..1024]\n", argv[0]);
        exit(EXIT_FAILURE);
    }
    return (int)value;
}

int main(int argc, char **argv)
{
    const int blocks = countArgument(argc, argv, 1, 3, 65535);
    const int cols = TILE * countArgument(argc, argv, 2, 4, 1024);
    const size_t rows = (size_t)blocks * TILE;

    unsigned int seed = 1;
    std::vector<float> a(rows * cols), x(cols), y(rows);
    for (size_t i = 0; i < a.size(); ++i) {
        a[i] = randomEighth(&seed);
    }
    for (size_t i = 0; i < x.size(); ++i) {
        x[i] = randomEighth(&seed);
    }

    float *deviceA, *deviceX, *deviceY;
    CHECK(cudaMalloc(&deviceA, a.size() * sizeof(float)));
    CHECK(cudaMalloc(&deviceX, x.size() * sizeof(float)));
    CHECK(cudaMalloc(&deviceY, y.size() * sizeof(float)));
    CHECK(cudaMemcpy(deviceA, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(deviceX, x.data(), x.size() * sizeof(float), cudaMemcpyHostToDevice));

    multiply<<<blocks, 32>>>(deviceA, deviceX, deviceY, cols);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(y.data(), deviceY, y.size() * sizeof(float), cudaMemcpyDeviceToHost));

    size_t wrong = 0;
    for (size_t row = 0; row < rows; ++row) {
        double expected = 0.0;
        for (int col = 0; col < cols; ++col) {
            expected += (double)a[row * cols + col] * x[col];
        }
        wrong += !(y[row] == expected);
    }

    CHECK(cudaFree(deviceA));
    CHECK(cudaFree(deviceX));
    CHECK(cudaFree(deviceY));
    printf("mv: %d thread blocks, %zu wrong, checksum %016llx\n", blocks, wrong,
           checksum(y.data(), y.size() * sizeof(float)));
    printf("%s\n", wrong == 0 ? "PASS" : "FAIL");
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
