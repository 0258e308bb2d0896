// SCAN: prefix sums of tiles, and moments of the sums.
//
// A thread block adds up a tile of 3072 numbers, from the first to each, and writes the sums. Then it
// reduces six moments of them: sums of powers, and of products with the position. The tile and the
// totals of its threads are not needed any more when the moments are put into shared memory.
//
// Usage: scan [thread blocks]

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
#define ITEMS 12
#define TILE (THREADS * ITEMS)
#define MOMENTS 6

typedef unsigned long long Sum;

// The sums from the start of each tile to each of its numbers, and MOMENTS of them for each tile.
__global__ void scan(const unsigned *__restrict__ in, unsigned *__restrict__ out, Sum *__restrict__ moments)
{
    __shared__ unsigned tile[TILE];
    __shared__ unsigned totals[THREADS];
    const int t = threadIdx.x;
    for (int i = 0; i < ITEMS; ++i) {
        tile[i * THREADS + t] = in[blockIdx.x * TILE + i * THREADS + t];
    }
    __syncthreads();

    unsigned own = 0;
    for (int i = 0; i < ITEMS; ++i) {
        own += tile[t * ITEMS + i];
        tile[t * ITEMS + i] = own;
    }
    totals[t] = own;
    __syncthreads();
    for (int d = 1; d < THREADS; d *= 2) {
        const unsigned before = t >= d ? totals[t - d] : 0;
        __syncthreads();
        totals[t] += before;
        __syncthreads();
    }
    const unsigned offset = t > 0 ? totals[t - 1] : 0;
    for (int i = 0; i < ITEMS; ++i) {
        tile[t * ITEMS + i] += offset;
    }
    __syncthreads();

    Sum moment[MOMENTS] = {0, 0, 0, 0, 0, 0};
    for (int i = 0; i < ITEMS; ++i) {
        const int at = i * THREADS + t;
        const unsigned v = tile[at];
        out[blockIdx.x * TILE + at] = v;
        moment[0] += v;
        moment[1] += (Sum)v * v;
        moment[2] += (Sum)v * at;
        moment[3] += (Sum)(v & 1);
        moment[4] += (Sum)(v >> 4) * (v >> 4);
        moment[5] += (Sum)at * at * (v & 7);
    }

    __shared__ Sum part[MOMENTS][THREADS];
    for (int m = 0; m < MOMENTS; ++m) {
        part[m][t] = moment[m];
    }
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half) {
            for (int m = 0; m < MOMENTS; ++m) {
                part[m][t] += part[m][t + half];
            }
        }
        __syncthreads();
    }
    if (t < MOMENTS) {
        moments[blockIdx.x * MOMENTS + t] = part[t][0];
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
    std::vector<Sum> moments(blocks * MOMENTS), expected(moments.size(), 0);
    unsigned state = 11;
    for (unsigned &x : in) {
        x = nextRandom(&state) % 100;
    }
    unsigned *from = toDevice(in), *to = toDevice(out);
    Sum *sums = toDevice(moments);
    scan<<<blocks, THREADS>>>(from, to, sums);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    fromDevice(out, to);
    fromDevice(moments, sums);
    CHECK(cudaFree(from));

    int wrong = 0;
    for (int b = 0; b < blocks; ++b) {
        unsigned sum = 0;
        Sum *m = &expected[b * MOMENTS];
        for (int i = 0; i < TILE; ++i) {
            sum += in[b * TILE + i];
            wrong += out[b * TILE + i] != sum;
            m[0] += sum;
            m[1] += (Sum)sum * sum;
            m[2] += (Sum)sum * i;
            m[3] += sum & 1;
            m[4] += (Sum)(sum >> 4) * (sum >> 4);
            m[5] += (Sum)i * i * (sum & 7);
        }
    }
    for (size_t i = 0; i < moments.size(); ++i) {
        wrong += moments[i] != expected[i];
    }
    printf("%s: %d thread blocks, %d values wrong\n", wrong ? "FAIL" : "PASS", blocks, wrong);
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
