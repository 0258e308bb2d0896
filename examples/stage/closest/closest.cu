// CLOSEST: for each of m points in the plane, how far the closest of n others is, one thread for each point.
//
// A thread block stages the others by hand, a strip of as many as it has threads at a time: two barriers for each strip.
//
// Usage: closest [points] [others]

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

#define THREADS 64

// Squares of distances: sums of small integers, and so exact.
__global__ void closest(const float2 *__restrict__ points, const float2 *__restrict__ others, float *__restrict__ distance, int m, int n)
{
    __shared__ float2 strip[THREADS];
    const int i = blockIdx.x * THREADS + threadIdx.x;
    const float2 me = points[min(i, m - 1)];
    float least = 1e30f;
    for (int s = 0; s < (n + THREADS - 1) / THREADS; ++s) {
        strip[threadIdx.x] = others[min(s * THREADS + (int)threadIdx.x, n - 1)];
        __syncthreads();
        for (int j = 0; j < THREADS; ++j) {
            const float dx = strip[j].x - me.x, dy = strip[j].y - me.y;
            least = fminf(least, dx * dx + dy * dy);
        }
        __syncthreads();
    }
    if (i < m) {
        distance[i] = least;
    }
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

static std::vector<float2> plane(size_t n, unsigned int state)
{
    const std::vector<float> c = numbers(2 * n, state);
    std::vector<float2> out(n);
    for (size_t i = 0; i < n; ++i) {
        out[i] = make_float2(c[2 * i], c[2 * i + 1]);
    }
    return out;
}

int main(int argc, char **argv)
{
    const int m = extent(argc, argv, 1, 333), n = extent(argc, argv, 2, 200);
    const std::vector<float2> points = plane(m, 1), others = plane(n, 2);
    std::vector<float> distance(m);
    float2 *p = toDevice(points), *o = toDevice(others);
    float *d = toDevice(distance);
    closest<<<(m + THREADS - 1) / THREADS, THREADS>>>(p, o, d, m, n);
    fromDevice(distance, d);
    CHECK(cudaFree(p));
    CHECK(cudaFree(o));
    int wrong = 0;
    for (int i = 0; i < m; ++i) {
        float least = 1e30f;
        for (const float2 &q : others) {
            const float dx = q.x - points[i].x, dy = q.y - points[i].y;
            least = dx * dx + dy * dy < least ? dx * dx + dy * dy : least;
        }
        wrong += distance[i] != least;
    }
    return verdict(wrong);
}
