// STO: sliding-window hashing, as StoreGPU does it for content-addressed storage.
//
// The MD5 digest of every window of 52 bytes in a buffer: one window starts at each byte. A thread
// hashes the four windows that start inside one word, for which it needs 55 bytes. Its bytes, the
// message of the current window and the state of the hash lie in shared memory, 127 bytes per
// thread, interleaved so that a thread keeps to one bank. No thread reads what another has written,
// hence no barriers.
//
// PACT'12 Table 1: STO, 16304 bytes of shared memory and 128 threads per thread block.
//
// Usage: sto [thread blocks] [rounds per thread block]

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <cuda_runtime.h>

#define THREADS 128
#define WINDOW 52                  // bytes; with its padding a window is one MD5 block
#define WINDOW_WORDS (WINDOW / 4)
#define WINDOWS_PER_ROUND (4 * THREADS)

// The rows of a thread's workspace.
enum Row {
    DATA = 0,                            // the words of the buffer
    MESSAGE = DATA + WINDOW_WORDS,       // the window, moved to a word boundary, and one of padding
    STATE = MESSAGE + WINDOW_WORDS + 1,  // MD5's four words, whose roles rotate
    ROWS = STATE + 4
};

#define CHECK(call)                                                                                \
    do {                                                                                           \
        const cudaError_t status_ = (call);                                                        \
        if (status_ != cudaSuccess) {                                                              \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_));       \
            exit(EXIT_FAILURE);                                                                    \
        }                                                                                          \
    } while (0)

// MD5's constants: floor(2^32 |sin(i + 1)|), filled in by the host, and the rotations.
__constant__ unsigned int sines[64];
__constant__ unsigned char rotations[16] = {7, 12, 17, 22, 5, 9,  14, 20,
                                            4, 11, 16, 23, 6, 10, 15, 21};

// The function that a quarter of MD5's 64 steps mixes the state with.
__device__ __forceinline__ unsigned int mix(int quarter, unsigned int b, unsigned int c,
                                            unsigned int d)
{
    return quarter == 0   ? (b & c) | (~b & d)
           : quarter == 1 ? (d & b) | (~d & c)
           : quarter == 2 ? b ^ c ^ d
                          : c ^ (b | ~d);
}

// Four bytes from a pair of words, starting at byte offset of the lower one.
__device__ __forceinline__ unsigned int wordAt(unsigned int low, unsigned int high, int offset)
{
    return (unsigned int)((((unsigned long long)high << 32) | low) >> (8 * offset));
}

// digests[i] = the digest of the window that starts at byte i of data. Each round takes
// WINDOWS_PER_ROUND windows.
__global__ void hashWindows(const unsigned int *__restrict__ data, uint4 *__restrict__ digests,
                            int rounds)
{
    __shared__ unsigned int work[ROWS][THREADS];
    __shared__ unsigned char tail[3][THREADS];  // the bytes behind the last word of DATA

    const int t = threadIdx.x;

    for (int round = 0; round < rounds; ++round) {
        const size_t first = ((size_t)blockIdx.x * rounds + round) * THREADS + t;

#pragma unroll
        for (int i = 0; i < WINDOW_WORDS; ++i) {
            work[DATA + i][t] = data[first + i];
        }
        const unsigned int last = data[first + WINDOW_WORDS];
#pragma unroll
        for (int i = 0; i < 3; ++i) {
            tail[i][t] = (unsigned char)(last >> (8 * i));
        }

        for (int offset = 0; offset < 4; ++offset) {
            // Unrolled in part only: the words are to stay in shared memory, not in registers.
#pragma unroll 4
            for (int i = 0; i < WINDOW_WORDS - 1; ++i) {
                work[MESSAGE + i][t] = wordAt(work[DATA + i][t], work[DATA + i + 1][t], offset);
            }
            const unsigned int end = tail[0][t] | tail[1][t] << 8 | tail[2][t] << 16;
            work[MESSAGE + WINDOW_WORDS - 1][t] =
                wordAt(work[DATA + WINDOW_WORDS - 1][t], end, offset);
            work[MESSAGE + WINDOW_WORDS][t] = 0x80;

            work[STATE][t] = 0x67452301u;
            work[STATE + 1][t] = 0xefcdab89u;
            work[STATE + 2][t] = 0x98badcfeu;
            work[STATE + 3][t] = 0x10325476u;

            // Step i finds a, b, c, d in rows -i, 1 - i, 2 - i, 3 - i modulo 4 of the state, and
            // puts the new b where a was.
#pragma unroll
            for (int quarter = 0; quarter < 4; ++quarter) {
#pragma unroll 4
                for (int i = 0; i < 16; ++i) {
                    const int word = (quarter == 0   ? i
                                      : quarter == 1 ? 5 * i + 1
                                      : quarter == 2 ? 3 * i + 5
                                                     : 7 * i) & 15;
                    const unsigned int m = word <= WINDOW_WORDS ? work[MESSAGE + word][t]
                                           : word == 14         ? 8 * WINDOW
                                                                : 0;
                    const unsigned int a = work[STATE + ((16 - i) & 3)][t];
                    const unsigned int b = work[STATE + ((17 - i) & 3)][t];
                    const unsigned int c = work[STATE + ((18 - i) & 3)][t];
                    const unsigned int d = work[STATE + ((19 - i) & 3)][t];
                    const unsigned int sum =
                        a + mix(quarter, b, c, d) + m + sines[16 * quarter + i];
                    const int rotation = rotations[4 * quarter + (i & 3)];
                    work[STATE + ((16 - i) & 3)][t] =
                        b + (sum << rotation | sum >> (32 - rotation));
                }
            }

            digests[4 * first + offset] =
                make_uint4(work[STATE][t] + 0x67452301u, work[STATE + 1][t] + 0xefcdab89u,
                           work[STATE + 2][t] + 0x98badcfeu, work[STATE + 3][t] + 0x10325476u);
        }
    }
}

// The reference: MD5 of a message of at most 55 bytes, straight from RFC 1321.
static void md5(const unsigned char *message, int length, const unsigned int *constants,
                unsigned int digest[4])
{
    static const int shift[4][4] = {
        {7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
    unsigned char padded[64] = {0};
    memcpy(padded, message, length);
    padded[length] = 0x80;
    padded[56] = (unsigned char)(8 * length);
    padded[57] = (unsigned char)(8 * length >> 8);

    unsigned int x[16];
    for (int i = 0; i < 16; ++i) {
        x[i] = padded[4 * i] | padded[4 * i + 1] << 8 | padded[4 * i + 2] << 16 |
               (unsigned int)padded[4 * i + 3] << 24;
    }
    unsigned int a = 0x67452301u, b = 0xefcdab89u, c = 0x98badcfeu, d = 0x10325476u;
    for (int i = 0; i < 64; ++i) {
        unsigned int f;
        int k;
        switch (i / 16) {
        case 0: f = (b & c) | (~b & d); k = i; break;
        case 1: f = (b & d) | (c & ~d); k = (5 * i + 1) % 16; break;
        case 2: f = b ^ c ^ d; k = (3 * i + 5) % 16; break;
        default: f = c ^ (b | ~d); k = 7 * i % 16; break;
        }
        const int s = shift[i / 16][i % 4];
        const unsigned int sum = a + f + x[k] + constants[i];
        a = d;
        d = c;
        c = b;
        b += sum << s | sum >> (32 - s);
    }
    digest[0] = a + 0x67452301u;
    digest[1] = b + 0xefcdab89u;
    digest[2] = c + 0x98badcfeu;
    digest[3] = d + 0x10325476u;
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
    const size_t windows = (size_t)blocks * rounds * WINDOWS_PER_ROUND;
    const size_t bytes = windows + WINDOW;  // the last thread's word in tail included

    unsigned int seed = 1;
    std::vector<unsigned char> data(bytes);
    for (size_t i = 0; i < bytes; ++i) {
        data[i] = (unsigned char)nextRandom(&seed);
    }
    unsigned int constants[64];
    for (int i = 0; i < 64; ++i) {
        constants[i] = (unsigned int)floor(4294967296.0 * fabs(sin(i + 1.0)));
    }

    unsigned int *deviceData;
    uint4 *deviceDigests;
    CHECK(cudaMalloc(&deviceData, bytes));
    CHECK(cudaMalloc(&deviceDigests, windows * sizeof(uint4)));
    CHECK(cudaMemcpyToSymbol(sines, constants, sizeof(constants)));
    CHECK(cudaMemcpy(deviceData, data.data(), bytes, cudaMemcpyHostToDevice));

    hashWindows<<<blocks, THREADS>>>(deviceData, deviceDigests, rounds);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());

    std::vector<uint4> digests(windows);
    CHECK(cudaMemcpy(digests.data(), deviceDigests, windows * sizeof(uint4),
                     cudaMemcpyDeviceToHost));

    size_t wrong = 0;
    for (size_t i = 0; i < windows; ++i) {
        unsigned int expected[4];
        md5(&data[i], WINDOW, constants, expected);
        wrong += digests[i].x != expected[0] || digests[i].y != expected[1] ||
                 digests[i].z != expected[2] || digests[i].w != expected[3];
    }

    CHECK(cudaFree(deviceData));
    CHECK(cudaFree(deviceDigests));
    printf("sto: %d thread blocks, %zu wrong, checksum %016llx\n", blocks, wrong,
           checksum(digests.data(), windows * sizeof(uint4)));
    printf("%s\n", wrong == 0 ? "PASS" : "FAIL");
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
