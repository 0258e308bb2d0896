// MM: matrix multiplication, C = A B.
//
// A thread block of 16x16 threads computes a 16x16 tile of C. It walks along a row of tiles of A
// and a column of tiles of B; each pair of tiles passes through shared memory.
//
// PACT'12 Table 1: MM, 2084 bytes of shared memory and 256 threads per thread block.
//
// Usage: mm [tiles across C] [tiles down C] [tiles along the inner dimension]

#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#define TILE 16

#define TX threadIdx.x
#define TY threadIdx.y
#define AS(i, j) as[i][j]
#define BS(i, j) bs[i][j]

#define CHECK(call)                                                                                \
    do {                                                                                           \
        const cudaError_t status_ = (call);                                                        \
        if (status_ != cudaSuccess) {                                                              \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_));       \
            exit(EXIT_FAILURE);                                                                    \
        }                                                                                          \
    } while (0)

// a has inner columns, b and c have cols columns; both numbers are multiples of TILE.
__global__ void multiply(const float *__restrict__ a, const float *__restrict__ b,
                         float *__restrict__ c, int inner, int cols)
{
    __shared__ float as[TILE][TILE];
    __shared__ float bs[TILE][TILE];

    const int row = blockIdx.y * TILE + TY;
    const int col = blockIdx.x * TILE + TX;
    float sum = 0.0f;

    for (int k0 = 0; k0 < inner; k0 += TILE) {
        AS(TY, TX) = a[(size_t)row * inner + k0 + TX];
        BS(TY, TX) = b[(size_t)(k0 + TY) * cols + col];
        __syncthreads();

#pragma unroll
        for (int k = 0; k < TILE; ++k) {
            sum += AS(TY, k) * BS(k, TX);
        }
        __syncthreads();  // the next tiles overwrite these
    }

    c[(size_t)row * cols + col] = sum;
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
    if (argc > 4 || end == argv[index] || *end != '\0' || value < 1 || value > max) {
        fprintf(stderr,
                "usage: %s [tiles across, 1..1024] [tiles down, 1..1024] [inner tiles, 1..1024]\n",
                argv[0]);
        exit(EXIT_FAILURE);
    }
    return (int)value;
}

int main(int argc, char **argv)
{
    const int across = countArgument(argc, argv, 1, 3, 1024);
    const int down = countArgument(argc, argv, 2, 2, 1024);
    const int inner = TILE * countArgument(argc, argv, 3, 4, 1024);
    const int cols = across * TILE;
    const int rows = down * TILE;

    unsigned int seed = 1;
    std::vector<float> a((size_t)rows * inner), b((size_t)inner * cols), c((size_t)rows * cols);
    for (size_t i = 0; i < a.size(); ++i) {
        a[i] = randomEighth(&seed);
    }
    for (size_t i = 0; i < b.size(); ++i) {
        b[i] = randomEighth(&seed);
    }

    float *deviceA, *deviceB, *deviceC;
    CHECK(cudaMalloc(&deviceA, a.size() * sizeof(float)));
    CHECK(cudaMalloc(&deviceB, b.size() * sizeof(float)));
    CHECK(cudaMalloc(&deviceC, c.size() * sizeof(float)));
    CHECK(cudaMemcpy(deviceA, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(deviceB, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice));

    const dim3 block(TILE, TILE);
    const dim3 grid(across, down);
    multiply<<<grid, block>>>(deviceA, deviceB, deviceC, inner, cols);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(c.data(), deviceC, c.size() * sizeof(float), cudaMemcpyDeviceToHost));

    // Row by row, along the rows of b: quick enough for large sizes too.
    size_t wrong = 0;
    std::vector<float> expected(cols);
    for (int row = 0; row < rows; ++row) {
        for (int col = 0; col < cols; ++col) {
            expected[col] = 0.0f;
        }
        for (int k = 0; k < inner; ++k) {
            const float factor = a[(size_t)row * inner + k];
            for (int col = 0; col < cols; ++col) {
                expected[col] += factor * b[(size_t)k * cols + col];
            }
        }
        for (int col = 0; col < cols; ++col) {
            wrong += !(c[(size_t)row * cols + col] == expected[col]);
        }
    }

    CHECK(cudaFree(deviceA));
    CHECK(cudaFree(deviceB));
    CHECK(cudaFree(deviceC));
    printf("mm: %d x %d thread blocks, %zu wrong, checksum %016llx\n", across, down, wrong,
           checksum(c.data(), c.size() * sizeof(float)));
    printf("%s\n", wrong == 0 ? "PASS" : "FAIL");
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
