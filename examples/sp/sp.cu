// SP: scalar products of many pairs of vectors.
//
// A thread block takes several pairs, one after the other. Its 64 threads form 1024 partial sums in
// shared memory, 16 each, and add them up by a tree. Barriers are written with cooperative groups.
//
// PACT'12 Table 1: SP, 4144 bytes of shared memory and 64 threads per thread block.
//
// Usage: sp [thread blocks] [pairs per thread block]

#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

constexpr int THREADS = 64;
constexpr int SUMS = 1024;      // partial sums of a pair
constexpr int ELEMENTS = 2500;  // elements of a vector; need not be a multiple of SUMS

#define CHECK(call)                                                                                \
    do {                                                                                           \
        const cudaError_t status_ = (call);                                                        \
        if (status_ != cudaSuccess) {                                                              \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_));       \
            exit(EXIT_FAILURE);                                                                    \
        }                                                                                          \
    } while (0)

// c[i] = a[i] . b[i] for the vectors i of this thread block; vector i starts at element
// i * ELEMENTS of a and of b.
__global__ void scalarProducts(const float *__restrict__ a, const float *__restrict__ b,
                               float *__restrict__ c, int pairsPerBlock)
{
    __shared__ float sums[SUMS];

    cg::thread_block cta = cg::this_thread_block();
    const int t = threadIdx.x;

    for (int p = 0; p < pairsPerBlock; ++p) {
        const size_t pair = (size_t)blockIdx.x * pairsPerBlock + p;
        const float *va = a + pair * ELEMENTS;
        const float *vb = b + pair * ELEMENTS;

        for (int i = t; i < SUMS; i += THREADS) {
            float sum = 0.0f;
            for (int e = i; e < ELEMENTS; e += SUMS) {
                sum += va[e] * vb[e];
            }
            sums[i] = sum;
        }

        for (int stride = SUMS / 2; stride > 0; stride >>= 1) {
            cg::sync(cta);
            for (int i = t; i < stride; i += THREADS) {
                sums[i] += sums[i + stride];
            }
        }

        cta.sync();  // the next pair overwrites sums[1], which thread 0 has just read
        if (t == 0) {
            c[pair] = sums[0];
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
        fprintf(stderr, "usage: %s [thread blocks, 1..65535] [pairs per thread block, 1..256]\n",
                argv[0]);
        exit(EXIT_FAILURE);
    }
    return (int)value;
}

int main(int argc, char **argv)
{
    const int blocks = countArgument(argc, argv, 1, 3, 65535);
    const int pairsPerBlock = countArgument(argc, argv, 2, 2, 256);
    const size_t pairs = (size_t)blocks * pairsPerBlock;
    const size_t bytes = pairs * ELEMENTS * sizeof(float);

    unsigned int seed = 1;
    std::vector<float> a(pairs * ELEMENTS), b(pairs * ELEMENTS), c(pairs);
    for (size_t i = 0; i < a.size(); ++i) {
        a[i] = randomEighth(&seed);
        b[i] = randomEighth(&seed);
    }

    float *deviceA, *deviceB, *deviceC;
    CHECK(cudaMalloc(&deviceA, bytes));
    CHECK(cudaMalloc(&deviceB, bytes));
    CHECK(cudaMalloc(&deviceC, pairs * sizeof(float)));
    CHECK(cudaMemcpy(deviceA, a.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(deviceB, b.data(), bytes, cudaMemcpyHostToDevice));

    scalarProducts<<<blocks, THREADS>>>(deviceA, deviceB, deviceC, pairsPerBlock);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(c.data(), deviceC, pairs * sizeof(float), cudaMemcpyDeviceToHost));

    size_t wrong = 0;
    for (size_t pair = 0; pair < pairs; ++pair) {
        double expected = 0.0;
        for (int e = 0; e < ELEMENTS; ++e) {
            expected += (double)a[pair * ELEMENTS + e] * b[pair * ELEMENTS + e];
        }
        wrong += !(c[pair] == expected);
    }

    CHECK(cudaFree(deviceA));
    CHECK(cudaFree(deviceB));
    CHECK(cudaFree(deviceC));
    printf("sp: %d thread blocks, %zu wrong, checksum %016llx\n", blocks, wrong,
           checksum(c.data(), c.size() * sizeof(float)));
    printf("%s\n", wrong == 0 ? "PASS" : "FAIL");
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
