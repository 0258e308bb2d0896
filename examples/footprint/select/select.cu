// SELECT: the numbers of a tile that pass a test, in their order and without gaps.
//
// A thread block stages a tile of 4096 numbers, so that each thread gets 16 neighbours, counts those
// that pass, adds the counts up in a device function with scratch space of its own, and puts the numbers
// in their places in shared memory, from where they are written side by side.
//
// Usage: select [thread blocks]

#include <algorithm>
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

#define THREADS 256
#define ITEMS 16
#define TILE (THREADS * ITEMS)

__device__ bool passes(unsigned v)
{
    return v % 5 < 2;
}

// The sum of own over the threads before this one; *all is that over all threads.
__device__ int sumBefore(int own, int *all)
{
    __shared__ int sums[THREADS];
    const int t = threadIdx.x;
    sums[t] = own;
    __syncthreads();
    for (int d = 1; d < THREADS; d *= 2) {
        const int before = t >= d ? sums[t - d] : 0;
        __syncthreads();
        sums[t] += before;
        __syncthreads();
    }
    *all = sums[THREADS - 1];
    return sums[t] - own;
}

// The numbers of each tile that pass, at the start of its part of out, and how many they are.
__global__ void select(const unsigned *__restrict__ in, unsigned *__restrict__ out, int *__restrict__ counts)
{
    __shared__ unsigned staged[TILE];
    __shared__ unsigned picked[TILE];
    const int t = threadIdx.x;
    for (int i = 0; i < ITEMS; ++i) {
        staged[i * THREADS + t] = in[blockIdx.x * TILE + i * THREADS + t];
    }
    __syncthreads();
    unsigned own[ITEMS];
    int count = 0;
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
        own[i] = staged[t * ITEMS + i];
        count += passes(own[i]);
    }

    int all;
    int at = sumBefore(count, &all);
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
        if (passes(own[i])) {
            picked[at] = own[i];
            ++at;
        }
    }
    __syncthreads();
    for (int i = t; i < all; i += THREADS) {
        out[blockIdx.x * TILE + i] = picked[i];
    }
    if (t == 0) {
        counts[blockIdx.x] = all;
    }
}

// A small linear congruential generator, so that every run sees the same input.
static unsigned int nextRandom(unsigned int *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
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
    CHECK(cudaMemcpy(to.data(), from, to.size() * sizeof(T), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(from));
}

// The number of thread blocks: the only argument, from 1 to 65535, or fallback without it.
static int blocksArgument(int argc, char **argv, int fallback)
{
    if (argc < 2) {
        return fallback;
    }
    char *end = NULL;
    const long value = strtol(argv[1], &end, 10);
    if (argc > 2 || end == argv[1] || *end != '\0' || value < 1 || value > 65535) {
        fprintf(stderr, "usage: %s [thread blocks, 1..65535]\n", argv[0]);
        exit(EXIT_FAILURE);
    }
    return (int)value;
}

int main(int argc, char **argv)
{
    const int blocks = blocksArgument(argc, argv, 3);
    std::vector<unsigned> in(blocks * TILE), out(in.size());
    std::vector<int> counts(blocks);
    unsigned state = 7;
    for (unsigned &x : in) {
        x = nextRandom(&state);
    }
    unsigned *from = toDevice(in), *to = toDevice(out);
    int *found = toDevice(counts);
    select<<<blocks, THREADS>>>(from, to, found);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    fromDevice(out, to);
    fromDevice(counts, found);
    CHECK(cudaFree(from));

    int wrong = 0;
    for (int b = 0; b < blocks; ++b) {
        int n = 0;
        for (int i = 0; i < TILE; ++i) {
            const unsigned v = in[b * TILE + i];
            if (v % 5 < 2) {
                wrong += out[b * TILE + n] != v;
                ++n;
            }
        }
        wrong += counts[b] != n;
    }
    printf("%s: %d thread blocks, %d values wrong\n", wrong ? "FAIL" : "PASS", blocks, wrong);
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
