// RD: the sum of an array.
//
// Every thread adds up a few elements, the thread block adds up its threads by a tree in shared
// memory, and a second launch with one thread block adds up the sums of the thread blocks.
//
// PACT'12 Table 1: RD, 540 bytes of shared memory and 128 threads per thread block.
//
// Usage: rd [thread blocks] [elements per thread]

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

// Adds up s[0] ... s[BLOCK - 1] into s[0]; thread 0 may read the sum at once. Every thread of the
// block must call it.
template <int BLOCK>
__device__ void treeReduce(int *s, int t)
{
    for (int stride = BLOCK / 2; stride > 0; stride >>= 1) {
        __syncthreads();
        if (t < stride) {
            s[t] += s[t + stride];
        }
    }
}

// out[i] = the sum of the i-th BLOCK * perThread elements of in, which has n.
template <int BLOCK>
__global__ void reduce(const int *__restrict__ in, int *__restrict__ out, size_t n, int perThread)
{
    __shared__ int sums[BLOCK];

    const int t = threadIdx.x;
    const size_t first = (size_t)blockIdx.x * BLOCK * perThread + t;
    int sum = 0;

    for (int k = 0; k < perThread; ++k) {
        const size_t i = first + (size_t)k * BLOCK;
        if (i < n) {
            sum += in[i];
        }
    }

    sums[t] = sum;
    treeReduce<BLOCK>(sums, t);
    if (t == 0) {
        out[blockIdx.x] = sums[0];
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
        fprintf(stderr, "usage: %s [thread blocks, 1..65535] [elements per thread, 1..256]\n",
                argv[0]);
        exit(EXIT_FAILURE);
    }
    return (int)value;
}

int main(int argc, char **argv)
{
    const int block = 128;
    const int blocks = countArgument(argc, argv, 1, 5, 65535);
    const int perThread = countArgument(argc, argv, 2, 4, 256);
    const size_t n = (size_t)blocks * block * perThread - 77;

    unsigned int seed = 1;
    std::vector<int> in(n);
    for (size_t i = 0; i < n; ++i) {
        in[i] = (int)(nextRandom(&seed) % 2001) - 1000;
    }

    int *deviceIn, *deviceSums, *deviceTotal;
    CHECK(cudaMalloc(&deviceIn, n * sizeof(int)));
    CHECK(cudaMalloc(&deviceSums, blocks * sizeof(int)));
    CHECK(cudaMalloc(&deviceTotal, sizeof(int)));
    CHECK(cudaMemcpy(deviceIn, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));

    reduce<128><<<blocks, block>>>(deviceIn, deviceSums, n, perThread);
    CHECK(cudaGetLastError());
    reduce<128><<<1, block>>>(deviceSums, deviceTotal, blocks, (blocks + block - 1) / block);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());

    // The sums of the thread blocks, and the total behind them.
    std::vector<int> sums(blocks + 1);
    CHECK(cudaMemcpy(sums.data(), deviceSums, blocks * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&sums[blocks], deviceTotal, sizeof(int), cudaMemcpyDeviceToHost));

    std::vector<int> expected(blocks + 1);
    for (size_t i = 0; i < n; ++i) {
        expected[i / ((size_t)block * perThread)] += in[i];
        expected[blocks] += in[i];
    }
    size_t wrong = 0;
    for (int i = 0; i <= blocks; ++i) {
        wrong += sums[i] != expected[i];
    }

    CHECK(cudaFree(deviceIn));
    CHECK(cudaFree(deviceSums));
    CHECK(cudaFree(deviceTotal));
    printf("rd: %d thread blocks, %zu wrong, checksum %016llx\n", blocks, wrong,
           checksum(sums.data(), sums.size() * sizeof(int)));
    printf("%s\n", wrong == 0 ? "PASS" : "FAIL");
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
