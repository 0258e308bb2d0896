// HG: a histogram of bytes, 256 bins.
//
// Every thread counts alone, in byte counters of its own in shared memory, so there are no atomics.
// 64 threads with 256 counters each would take 16 kB; so the two warps of a thread block read the
// same data, and the first counts the values below 128, the second those from 128 on. Four counters
// share a word, and the words of a thread lie in one column, hence in one bank. A byte holds 255:
// after at most 252 values the counters are flushed into registers. A second kernel adds up the
// histograms of the thread blocks.
//
// PACT'12 Table 1: HG, 8224 bytes of shared memory and 64 threads per thread block.
//
// Usage: hg [thread blocks] [rounds per thread block]

#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#define BINS 256
#define THREADS 64
#define LANES 32                // threads that count the same half of the bins
#define ROWS (BINS / 2 / 4)     // words of counters per thread
#define WORDS_PER_ROUND 63      // 252 values per thread: no counter can overflow

// The word that holds thread t's counter of a bin, and what adds one to that counter.
#define COUNTERS(bin, t) counters[((bin) & 127) >> 2][t]
#define ONE(bin) (1u << (8 * ((bin) & 3)))

#define CHECK(call)                                                                                \
    do {                                                                                           \
        const cudaError_t status_ = (call);                                                        \
        if (status_ != cudaSuccess) {                                                              \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_));       \
            exit(EXIT_FAILURE);                                                                    \
        }                                                                                          \
    } while (0)

// The histogram of the thread block's share of data: LANES * WORDS_PER_ROUND * rounds words. The
// last shares may reach past the end of the data.
__global__ void __launch_bounds__(THREADS)
    countBytes(const unsigned int *__restrict__ data, size_t words, int rounds,
               unsigned int *__restrict__ partial)
{
    __shared__ unsigned int counters[ROWS][THREADS];

    const int t = threadIdx.x;
    const int lane = t % LANES;
    const int half = t / LANES;
    unsigned int sum0 = 0, sum1 = 0, sum2 = 0, sum3 = 0;  // of bins 4t ... 4t + 3

    for (int row = 0; row < ROWS; ++row) {
        counters[row][t] = 0;
    }

    for (int round = 0; round < rounds; ++round) {
        const size_t first = ((size_t)blockIdx.x * rounds + round) * WORDS_PER_ROUND * LANES;
        for (int w = 0; w < WORDS_PER_ROUND; ++w) {
            const size_t i = first + w * LANES + lane;
            if (i < words) {
                const unsigned int word = data[i];
                for (int shift = 0; shift < 32; shift += 8) {
                    const unsigned int bin = (word >> shift) & 255;
                    if ((bin >> 7) == (unsigned int)half) {
                        COUNTERS(bin, t) += ONE(bin);
                    }
                }
            }
        }
        __syncthreads();

        // Bins 4t ... 4t + 3 are the four bytes of one row of this half. Every lane starts in
        // another column, so that the lanes meet in no bank.
        for (int k = 0; k < LANES; ++k) {
            const unsigned int four = counters[lane][half * LANES + ((k + lane) & (LANES - 1))];
            sum0 += four & 255;
            sum1 += (four >> 8) & 255;
            sum2 += (four >> 16) & 255;
            sum3 += four >> 24;
        }
        __syncthreads();

        for (int row = 0; row < ROWS; ++row) {
            counters[row][t] = 0;
        }
    }

    unsigned int *histogram = partial + (size_t)blockIdx.x * BINS;
    histogram[4 * t] = sum0;
    histogram[4 * t + 1] = sum1;
    histogram[4 * t + 2] = sum2;
    histogram[4 * t + 3] = sum3;
}

// Adds up the histograms of all thread blocks, one bin per thread.
__global__ void addHistograms(const unsigned int *__restrict__ partial, int count,
                              unsigned int *__restrict__ histogram)
{
    unsigned int sum = 0;
    for (int i = 0; i < count; ++i) {
        sum += partial[(size_t)i * BINS + threadIdx.x];
    }
    histogram[threadIdx.x] = sum;
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
        fprintf(stderr, "usage: %s [thread blocks, 1..16384] [rounds per thread block, 1..32]\n",
                argv[0]);
        exit(EXIT_FAILURE);
    }
    return (int)value;
}

int main(int argc, char **argv)
{
    const int blocks = countArgument(argc, argv, 1, 3, 16384);
    const int rounds = countArgument(argc, argv, 2, 2, 32);
    const size_t words = (size_t)blocks * rounds * WORDS_PER_ROUND * LANES - 37;

    // Long runs of one value, which fill a counter to its limit, and noise between them.
    unsigned int seed = 1;
    std::vector<unsigned int> data(words);
    for (size_t i = 0; i < words; ++i) {
        const unsigned int high = nextRandom(&seed) & 0xffff;
        const unsigned int low = nextRandom(&seed) & 0xffff;
        data[i] = i % 5000 < 2500 ? 0x4d4dc3c3u : high << 16 | low;
    }

    unsigned int *deviceData, *devicePartial, *deviceHistogram;
    CHECK(cudaMalloc(&deviceData, words * sizeof(unsigned int)));
    CHECK(cudaMalloc(&devicePartial, (size_t)blocks * BINS * sizeof(unsigned int)));
    CHECK(cudaMalloc(&deviceHistogram, BINS * sizeof(unsigned int)));
    CHECK(cudaMemcpy(deviceData, data.data(), words * sizeof(unsigned int),
                     cudaMemcpyHostToDevice));

    countBytes<<<blocks, THREADS>>>(deviceData, words, rounds, devicePartial);
    CHECK(cudaGetLastError());
    addHistograms<<<1, BINS>>>(devicePartial, blocks, deviceHistogram);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());

    unsigned int histogram[BINS];
    CHECK(cudaMemcpy(histogram, deviceHistogram, sizeof(histogram), cudaMemcpyDeviceToHost));

    unsigned int expected[BINS] = {0};
    for (size_t i = 0; i < words; ++i) {
        for (int shift = 0; shift < 32; shift += 8) {
            ++expected[(data[i] >> shift) & 255];
        }
    }
    size_t wrong = 0;
    for (int bin = 0; bin < BINS; ++bin) {
        wrong += histogram[bin] != expected[bin];
    }

    CHECK(cudaFree(deviceData));
    CHECK(cudaFree(devicePartial));
    CHECK(cudaFree(deviceHistogram));
    printf("hg: %d thread blocks, %zu wrong, checksum %016llx\n", blocks, wrong,
           checksum(histogram, sizeof(histogram)));
    printf("%s\n", wrong == 0 ? "PASS" : "FAIL");
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
