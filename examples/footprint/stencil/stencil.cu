// STENCIL: two stencils in a row, and how much they changed.
//
// A thread block loads a tile of a picture with a border, smooths it, and sharpens what came of that.
// The first stencil's results wait in registers until all threads have read the tile. Last, the
// largest change of the block's pixels is found.
//
// Usage: stencil [thread blocks]

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

#define WIDTH 64
#define HEIGHT 32
#define ROWS 4  // of threads
#define THREADS (WIDTH * ROWS)
#define TILE ((HEIGHT + 4) * (WIDTH + 4))
#define MIDDLE ((HEIGHT + 2) * (WIDTH + 2))
#define EACH ((MIDDLE + THREADS - 1) / THREADS)

// Pictures of HEIGHT + 4 rows of WIDTH + 4 pixels, one for each thread block.
__global__ void stencil(const int *__restrict__ in, int *__restrict__ out, int *__restrict__ change)
{
    __shared__ int tile[TILE];
    __shared__ int middle[MIDDLE];
    __shared__ int largest[THREADS];
    const int t = threadIdx.x;
    for (int i = t; i < TILE; i += THREADS) {
        tile[i] = in[blockIdx.x * TILE + i];
    }
    __syncthreads();

    int smooth[EACH];
    for (int k = 0; k < EACH; ++k) {
        const int i = min(k * THREADS + t, MIDDLE - 1);
        const int at = (i / (WIDTH + 2) + 1) * (WIDTH + 4) + i % (WIDTH + 2) + 1;
        smooth[k] = (4 * tile[at] + tile[at - 1] + tile[at + 1] + tile[at - WIDTH - 4] + tile[at + WIDTH + 4]) / 8;
    }
    for (int k = 0; k < EACH; ++k) {
        if (k * THREADS + t < MIDDLE) {
            middle[k * THREADS + t] = smooth[k];
        }
    }
    __syncthreads();

    int most = 0;
    for (int y = t / WIDTH; y < HEIGHT; y += ROWS) {
        const int x = t % WIDTH;
        const int at = (y + 1) * (WIDTH + 2) + x + 1;
        const int v = 6 * middle[at] - middle[at - 1] - middle[at + 1] - middle[at - WIDTH - 2] - middle[at + WIDTH + 2];
        out[(blockIdx.x * HEIGHT + y) * WIDTH + x] = v;
        const int was = in[blockIdx.x * TILE + (y + 2) * (WIDTH + 4) + x + 2];
        most = max(most, abs(v - 2 * was));
    }
    largest[t] = most;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half) {
            largest[t] = max(largest[t], largest[t + half]);
        }
        __syncthreads();
    }
    if (t == 0) {
        change[blockIdx.x] = largest[0];
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
    std::vector<int> in(blocks * TILE), out(blocks * HEIGHT * WIDTH), change(blocks);
    unsigned state = 5;
    for (int &x : in) {
        x = nextRandom(&state) % 256;
    }
    int *from = toDevice(in), *to = toDevice(out), *most = toDevice(change);
    stencil<<<blocks, THREADS>>>(from, to, most);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    fromDevice(out, to);
    fromDevice(change, most);
    CHECK(cudaFree(from));

    int wrong = 0;
    for (int b = 0; b < blocks; ++b) {
        const int *p = &in[b * TILE];
        auto smooth = [p](int y, int x) {
            const int *q = p + y * (WIDTH + 4) + x;
            return (4 * q[0] + q[-1] + q[1] + q[-WIDTH - 4] + q[WIDTH + 4]) / 8;
        };
        int largest = 0;
        for (int y = 0; y < HEIGHT; ++y) {
            for (int x = 0; x < WIDTH; ++x) {
                const int v = 6 * smooth(y + 2, x + 2) - smooth(y + 2, x + 1) - smooth(y + 2, x + 3) - smooth(y + 1, x + 2) - smooth(y + 3, x + 2);
                wrong += out[(b * HEIGHT + y) * WIDTH + x] != v;
                largest = std::max(largest, abs(v - 2 * p[(y + 2) * (WIDTH + 4) + x + 2]));
            }
        }
        wrong += change[b] != largest;
    }
    printf("%s: %d thread blocks, %d values wrong\n", wrong ? "FAIL" : "PASS", blocks, wrong);
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
