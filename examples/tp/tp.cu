// TP: matrix transpose.
//
// 128 threads move one 32x32 tile, 8 elements each: it is read row by row into shared memory and
// written column by column, so that both the loads and the stores are coalesced. The 33rd column
// keeps the column-wise reads free of bank conflicts.
//
// PACT'12 Table 1: TP, 4260 bytes of shared memory and 128 threads per thread block.
//
// Usage: tp [tiles across] [tiles down]

#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

enum { TILE = 32, THREADS = 128, ROWS = THREADS / TILE };

#define CHECK(call)                                                                                \
    do {                                                                                           \
        const cudaError_t status_ = (call);                                                        \
        if (status_ != cudaSuccess) {                                                              \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_));       \
            exit(EXIT_FAILURE);                                                                    \
        }                                                                                          \
    } while (0)

// in has height rows of width elements, out has width rows of height elements; both numbers are
// multiples of TILE.
__global__ void transpose(const float *__restrict__ in, float *__restrict__ out, int width,
                          int height)
{
    __shared__ float tile[TILE][TILE + 1];

    const int tx = threadIdx.x & (TILE - 1);
    const int ty = threadIdx.x >> 5;
    const int x = blockIdx.x * TILE;
    const int y = blockIdx.y * TILE;

#pragma unroll
    for (int j = 0; j < TILE; j += ROWS) {
        tile[ty + j][tx] = in[(size_t)(y + ty + j) * width + x + tx];
    }
    __syncthreads();

#pragma unroll
    for (int j = 0; j < TILE; j += ROWS) {
        out[(size_t)(x + ty + j) * height + y + tx] = tile[tx][ty + j];
    }
}

// A small linear congruential generator, so that every run sees the same input.
static unsigned int nextRandom(unsigned int *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
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
        fprintf(stderr, "usage: %s [tiles across, 1..2048] [tiles down, 1..2048]\n", argv[0]);
        exit(EXIT_FAILURE);
    }
    return (int)value;
}

int main(int argc, char **argv)
{
    const int across = countArgument(argc, argv, 1, 3, 2048);
    const int down = countArgument(argc, argv, 2, 2, 2048);
    const int width = across * TILE;
    const int height = down * TILE;
    const size_t bytes = (size_t)width * height * sizeof(float);

    unsigned int seed = 1;
    std::vector<float> in((size_t)width * height), out(in.size());
    for (size_t i = 0; i < in.size(); ++i) {
        in[i] = (float)nextRandom(&seed);
    }

    float *deviceIn, *deviceOut;
    CHECK(cudaMalloc(&deviceIn, bytes));
    CHECK(cudaMalloc(&deviceOut, bytes));
    CHECK(cudaMemcpy(deviceIn, in.data(), bytes, cudaMemcpyHostToDevice));

    transpose<<<dim3(across, down), THREADS>>>(deviceIn, deviceOut, width, height);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(out.data(), deviceOut, bytes, cudaMemcpyDeviceToHost));

    size_t wrong = 0;
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            wrong += out[(size_t)x * height + y] != in[(size_t)y * width + x];
        }
    }

    CHECK(cudaFree(deviceIn));
    CHECK(cudaFree(deviceOut));
    printf("tp: %d x %d thread blocks, %zu wrong, checksum %016llx\n", across, down, wrong,
           checksum(out.data(), bytes));
    printf("%s\n", wrong == 0 ? "PASS" : "FAIL");
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
