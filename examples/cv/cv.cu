// CV: separable convolution, the pass along the rows.
//
// A thread block computes 2048 neighbouring pixels of one row, 16 per thread. Their tile, with a
// halo of the filter's radius on either side, is loaded into shared memory once and read 17 times.
// Beyond the edges of the image its outermost pixels repeat. The filter lies in constant memory,
// the tile in dynamic shared memory, whose size the launch passes.
//
// PACT'12 Table 1: CV, 8300 bytes of shared memory and 128 threads per thread block.
//
// Usage: cv [tiles per row] [rows]

#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#define THREADS 128
#define PER_THREAD 16
#define TILE (THREADS * PER_THREAD)
#define RADIUS 8

#define CHECK(call)                                                                                \
    do {                                                                                           \
        const cudaError_t status_ = (call);                                                        \
        if (status_ != cudaSuccess) {                                                              \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_));       \
            exit(EXIT_FAILURE);                                                                    \
        }                                                                                          \
    } while (0)

__constant__ float filter[2 * RADIUS + 1];

// Needs (TILE + 2 * RADIUS) * sizeof(float) bytes of dynamic shared memory. The grid has a thread
// block per tile of a row in x, and a row in y.
__global__ void convolveRows(const float *__restrict__ in, float *__restrict__ out, int width)
{
    extern __shared__ float tile[];

    const int first = blockIdx.x * TILE;
    const size_t row = (size_t)blockIdx.y * width;

    for (int i = threadIdx.x; i < TILE + 2 * RADIUS; i += THREADS) {
        const int x = min(max(first + i - RADIUS, 0), width - 1);
        tile[i] = in[row + x];
    }
    __syncthreads();

    for (int k = 0; k < PER_THREAD; ++k) {
        const int i = k * THREADS + threadIdx.x;
        float sum = 0.0f;
#pragma unroll
        for (int j = -RADIUS; j <= RADIUS; ++j) {
            sum += tile[i + RADIUS + j] * filter[RADIUS + j];
        }
        if (first + i < width) {
            out[row + first + i] = sum;
        }
    }
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
        fprintf(stderr, "usage: %s [tiles per row, 1..4096] [rows, 1..4096]\n", argv[0]);
        exit(EXIT_FAILURE);
    }
    return (int)value;
}

int main(int argc, char **argv)
{
    const int tiles = countArgument(argc, argv, 1, 3, 4096);
    const int rows = countArgument(argc, argv, 2, 2, 4096);
    const int width = tiles * TILE - 45;  // the last tile of a row is not full
    const size_t pixels = (size_t)width * rows;

    unsigned int seed = 1;
    float hostFilter[2 * RADIUS + 1];
    for (int j = 0; j <= 2 * RADIUS; ++j) {
        hostFilter[j] = randomEighth(&seed);
    }
    std::vector<float> in(pixels), out(pixels);
    for (size_t i = 0; i < pixels; ++i) {
        in[i] = randomEighth(&seed);
    }

    float *deviceIn, *deviceOut;
    CHECK(cudaMalloc(&deviceIn, pixels * sizeof(float)));
    CHECK(cudaMalloc(&deviceOut, pixels * sizeof(float)));
    CHECK(cudaMemcpyToSymbol(filter, hostFilter, sizeof(hostFilter)));
    CHECK(cudaMemcpy(deviceIn, in.data(), pixels * sizeof(float), cudaMemcpyHostToDevice));

    const dim3 block(THREADS);
    const dim3 grid(tiles, rows);
    const size_t tileBytes = (TILE + 2 * RADIUS) * sizeof(float);
    convolveRows<<<grid, block, tileBytes>>>(deviceIn, deviceOut, width);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(out.data(), deviceOut, pixels * sizeof(float), cudaMemcpyDeviceToHost));

    size_t wrong = 0;
    for (int y = 0; y < rows; ++y) {
        const float *row = &in[(size_t)y * width];
        for (int x = 0; x < width; ++x) {
            double expected = 0.0;
            for (int j = -RADIUS; j <= RADIUS; ++j) {
                const int from = x + j < 0 ? 0 : x + j >= width ? width - 1 : x + j;
                expected += (double)row[from] * hostFilter[RADIUS + j];
            }
            wrong += !(out[(size_t)y * width + x] == expected);
        }
    }

    CHECK(cudaFree(deviceIn));
    CHECK(cudaFree(deviceOut));
    printf("cv: %d x %d thread blocks, %zu wrong, checksum %016llx\n", tiles, rows, wrong,
           checksum(out.data(), pixels * sizeof(float)));
    printf("%s\n", wrong == 0 ? "PASS" : "FAIL");
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
