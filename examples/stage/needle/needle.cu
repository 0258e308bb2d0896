// NEEDLE: the alignment of pairs of sequences by Needleman and Wunsch. Each thread block goes through a
// table of scores along its diagonals; how well two letters fit is read from another table, by letters.
//
// Usage: needle [pairs] [letters of each sequence, up to 127]

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

#define LETTERS 32
#define GAP 4

__constant__ int fits[LETTERS][LETTERS];

// score has a row and a column more than there are letters, which hold multiples of the gap's cost.
__global__ void align(const unsigned char *__restrict__ first, const unsigned char *__restrict__ second, int *score,
                      int n)
{
    const int i = threadIdx.x;
    const int row = n + 1;
    const int pair = blockIdx.x;
    for (int d = 0; d < 2 * n - 1; ++d) {
        const int j = d - i;
        if (i < n && j >= 0 && j < n) {
            const int at = pair * row * row + (i + 1) * row + j + 1;
            const int fit = fits[first[pair * n + i] & 31][second[pair * n + j] & 31];
            score[at] = max(score[at - row - 1] + fit, max(score[at - row], score[at - 1]) - GAP);
        }
        __syncthreads();
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
    const int pairs = extent(argc, argv, 1, 3), n = std::min(extent(argc, argv, 2, 60), 127), row = n + 1;
    const std::vector<unsigned char> first = bytes((size_t)pairs * n, 1), second = bytes((size_t)pairs * n, 2);
    static int fit[LETTERS][LETTERS];
    for (int a = 0; a < LETTERS; ++a) {
        for (int b = 0; b < LETTERS; ++b) {
            fit[a][b] = a == b ? 5 : (a * 7 + b * 7) % 9 - 4;
        }
    }
    std::vector<int> score((size_t)pairs * row * row), out(score.size());
    for (int p = 0; p < pairs; ++p) {
        for (int i = 0; i <= n; ++i) {
            score[p * row * row + i * row] = score[p * row * row + i] = -GAP * i;
        }
    }
    CHECK(cudaMemcpyToSymbol(fits, fit, sizeof(fit)));
    unsigned char *a = toDevice(first), *b = toDevice(second);
    int *s = toDevice(score);
    align<<<pairs, 128>>>(a, b, s, n);
    fromDevice(out, s);
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    int wrong = 0;
    for (int p = 0; p < pairs; ++p) {
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) {
                const int at = p * row * row + (i + 1) * row + j + 1;
                const int with = fit[first[p * n + i] & 31][second[p * n + j] & 31];
                score[at] = std::max(score[at - row - 1] + with, std::max(score[at - row], score[at - 1]) - GAP);
                wrong += out[at] != score[at];
            }
        }
    }
    return verdict(wrong);
}
