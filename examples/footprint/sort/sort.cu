// sort: segments of keys with their values, by counting.
//
// A thread block of 128 threads sorts 512 pairs. The keys of the segment lie in shared memory first, where every
// thread counts how many come before each of its four: that is where the pair goes. Then keys and values are
// exchanged together through an array of pairs, so that each thread writes neighbours to global memory.
//
// Usage: sort [thread blocks]     (one segment per thread block)

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#define THREADS 128
#define EACH 4
#define SEGMENT (THREADS * EACH)

#define CHECK(call)                                                                                \
    do {                                                                                           \
        const cudaError_t status_ = (call);                                                        \
        if (status_ != cudaSuccess) {                                                              \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_));       \
            exit(EXIT_FAILURE);                                                                    \
        }                                                                                          \
    } while (0)

// A key with what belongs to it.
struct Pair {
    unsigned int key;
    unsigned int value;
};

__global__ void sortSegments(const Pair *__restrict__ in, Pair *__restrict__ out)
{
    __shared__ unsigned int keys[SEGMENT];
    __shared__ Pair sorted[SEGMENT];

    const int t = threadIdx.x;
    const size_t base = (size_t)blockIdx.x * SEGMENT;
    Pair mine[EACH];
    int rank[EACH];

#pragma unroll
    for (int i = 0; i < EACH; ++i) {
        mine[i] = in[base + THREADS * i + t];
        keys[THREADS * i + t] = mine[i].key;
        rank[i] = 0;
    }
    __syncthreads();

    for (int j = 0; j < SEGMENT; ++j) {
        const unsigned int key = keys[j];
#pragma unroll
        for (int i = 0; i < EACH; ++i) {
            rank[i] += key < mine[i].key || (key == mine[i].key && j < THREADS * i + t);
        }
    }

#pragma unroll
    for (int i = 0; i < EACH; ++i) {
        sorted[rank[i]] = mine[i];
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < EACH; ++i) {
        out[base + THREADS * i + t] = sorted[THREADS * i + t];
    }
}

int main(int argc, char **argv)
{
    const int blocks = argc > 1 ? atoi(argv[1]) : 3;
    if (argc > 2 || blocks < 1 || blocks > 65535) {
        fprintf(stderr, "usage: %s [thread blocks, 1..65535]\n", argv[0]);
        return EXIT_FAILURE;
    }
    const size_t count = (size_t)blocks * SEGMENT, bytes = count * sizeof(Pair);

    unsigned int seed = 1;
    std::vector<Pair> in(count), out(count);
    for (size_t i = 0; i < count; ++i) {
        seed = seed * 1664525u + 1013904223u;
        in[i].key = seed >> 22; // some keys twice
        in[i].value = (unsigned int)i;
    }

    Pair *deviceIn, *deviceOut;
    CHECK(cudaMalloc(&deviceIn, bytes));
    CHECK(cudaMalloc(&deviceOut, bytes));
    CHECK(cudaMemcpy(deviceIn, in.data(), bytes, cudaMemcpyHostToDevice));
    sortSegments<<<blocks, THREADS>>>(deviceIn, deviceOut);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(out.data(), deviceOut, bytes, cudaMemcpyDeviceToHost));

    size_t wrong = 0;
    for (int b = 0; b < blocks; ++b) {
        std::vector<Pair> want(in.begin() + (size_t)b * SEGMENT, in.begin() + (size_t)(b + 1) * SEGMENT);
        std::stable_sort(want.begin(), want.end(), [](const Pair &x, const Pair &y) { return x.key < y.key; });
        for (int i = 0; i < SEGMENT; ++i) {
            const Pair &got = out[(size_t)b * SEGMENT + i];
            wrong += got.key != want[i].key || got.value != want[i].value;
        }
    }

    CHECK(cudaFree(deviceIn));
    CHECK(cudaFree(deviceOut));
    printf("sort: %d thread blocks, %zu wrong\n", blocks, wrong);
    printf("%s\n", wrong == 0 ? "PASS" : "FAIL");
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
