// LOOKUP: what comes next is read from tables, at places that data decides: the check sum CRC-32 of
// texts by a table of 256 words, and rounds of a substitution of bytes by a table of 256 bytes.
//
// Usage: lookup [number of texts] [bytes of each]

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

__constant__ unsigned char substitution[256];

// One thread for each text; table is read at places that differ from thread to thread.
__global__ void checksum(const unsigned char *__restrict__ text, const unsigned int *__restrict__ table,
                         unsigned int *__restrict__ crc, int texts, int length)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= texts) {
        return;
    }
    unsigned int sum = 0xffffffffu;
    for (int k = 0; k < length; ++k) {
        sum = table[(sum ^ text[k * texts + i]) & 255] ^ (sum >> 8);
    }
    crc[i] = ~sum;
}

// Eight rounds for each byte.
__global__ void substitute(unsigned char *text, int n, int key)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned char x = text[i];
        for (int round = 0; round < 8; ++round) {
            x = substitution[x] ^ (key + round);
        }
        text[i] = x;
    }
}

// Bytes, the same ones in every run.
static std::vector<unsigned char> bytes(size_t n, unsigned int state)
{
    std::vector<unsigned char> out(n);
    for (unsigned char &x : out) {
        state = state * 1664525u + 1013904223u;
        x = state >> 24;
    }
    return out;
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
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(to.data(), from, to.size() * sizeof(T), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(from));
}

// An extent: the argument of that number, or fallback without it.
static int extent(int argc, char **argv, int i, int fallback)
{
    const int n = argc > i ? atoi(argv[i]) : fallback;
    if (n < 1 || n > 100000000) {
        fprintf(stderr, "%s: an extent is from 1 to 100000000\n", argv[0]);
        exit(EXIT_FAILURE);
    }
    return n;
}

static int verdict(int wrong)
{
    printf("%s: %d values wrong\n", wrong ? "FAIL" : "PASS", wrong);
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    const int texts = extent(argc, argv, 1, 300), length = extent(argc, argv, 2, 40), key = 90;
    const std::vector<unsigned char> text = bytes((size_t)texts * length, 1);
    std::vector<unsigned int> words(256);
    std::vector<unsigned char> other(256);
    for (int i = 0; i < 256; ++i) {
        unsigned int x = i;
        for (int bit = 0; bit < 8; ++bit) {
            x = x & 1 ? 0xedb88320u ^ (x >> 1) : x >> 1;
        }
        words[i] = x;
        other[i] = i * 167 + 13; // 167 is odd: each byte once
    }
    unsigned int *table;
    CHECK(cudaMalloc(&table, 256 * sizeof(unsigned int)));
    CHECK(cudaMemcpy(table, words.data(), 256 * sizeof(unsigned int), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpyToSymbol(substitution, other.data(), 256));
    unsigned char *in = toDevice(text);
    std::vector<unsigned int> sums(texts);
    unsigned int *crc = toDevice(sums);
    checksum<<<(texts + 127) / 128, 128>>>(in, table, crc, texts, length);
    substitute<<<(texts * length + 255) / 256, 256>>>(in, texts * length, key);
    std::vector<unsigned char> changed(text.size());
    fromDevice(sums, crc);
    fromDevice(changed, in);
    CHECK(cudaFree(table));
    int wrong = 0;
    for (int i = 0; i < texts; ++i) {
        unsigned int sum = 0xffffffffu;
        for (int k = 0; k < length; ++k) {
            sum = words[(sum ^ text[k * texts + i]) & 255] ^ (sum >> 8);
        }
        wrong += sums[i] != ~sum;
    }
    for (size_t i = 0; i < text.size(); ++i) {
        unsigned char x = text[i];
        for (int round = 0; round < 8; ++round) {
            x = other[x] ^ (key + round);
        }
        wrong += changed[i] != x;
    }
    return verdict(wrong);
}
