// KMEANS: the nearest of some centres for each point.
//
// All threads read the same centre at a time; the points' coordinates lie apart, so that they are read
// side by side.
//
// Usage: kmeans [points] [centres]

#include <cmath>
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

#define DIMENSIONS 6

__global__ void nearest(const float *__restrict__ point, const float *__restrict__ centre, int *__restrict__ out, int n, int centres)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    float least = 1e30f;
    int best = 0;
    for (int c = 0; c < centres; ++c) {
        float distance = 0;
        for (int d = 0; d < DIMENSIONS; ++d) {
            const float apart = point[d * n + i] - centre[c * DIMENSIONS + d];
            distance += apart * apart;
        }
        if (distance < least) {
            least = distance;
            best = c;
        }
    }
    out[i] = best;
}

// Small numbers, the same ones in every run; sums of them are exact.
static std::vector<float> numbers(size_t n, unsigned int state)
{
    std::vector<float> out(n);
    for (float &x : out) {
        state = state * 1664525u + 1013904223u;
        x = (float)(state >> 24) - 128;
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
    const int n = extent(argc, argv, 1, 300), centres = extent(argc, argv, 2, 37);
    const std::vector<float> point = numbers(n * DIMENSIONS, 1), centre = numbers(centres * DIMENSIONS, 2);
    std::vector<int> out(n);
    float *dp = toDevice(point), *dc = toDevice(centre);
    int *to = toDevice(out);
    nearest<<<(n + 127) / 128, 128>>>(dp, dc, to, n, centres);
    fromDevice(out, to);
    CHECK(cudaFree(dp));
    CHECK(cudaFree(dc));
    int wrong = 0;
    for (int i = 0; i < n; ++i) {
        float least = 1e30f;
        int best = 0;
        for (int c = 0; c < centres; ++c) {
            float distance = 0;
            for (int d = 0; d < DIMENSIONS; ++d) {
                const float apart = point[d * n + i] - centre[c * DIMENSIONS + d];
                distance += apart * apart;
            }
            if (distance < least) {
                least = distance;
                best = c;
            }
        }
        wrong += out[i] != best;
    }
    return verdict(wrong);
}
