// NBODY: the pull of n bodies on each other, one thread for each body.
//
// All threads of a block read the same body at a time.
//
// Usage: nbody [bodies]

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

__global__ void pull(const float4 *__restrict__ body, float4 *__restrict__ force, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    const float4 me = body[i];
    float x = 0, y = 0, z = 0;
    for (int j = 0; j < n; ++j) {
        const float dx = body[j].x - me.x, dy = body[j].y - me.y, dz = body[j].z - me.z;
        const float weight = body[j].w / (dx * dx + dy * dy + dz * dz + 1);
        x += dx * weight;
        y += dy * weight;
        z += dz * weight;
    }
    force[i] = make_float4(x, y, z, 0);
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
    const int n = extent(argc, argv, 1, 333);
    const std::vector<float> c = numbers(4 * n, 1);
    std::vector<float4> body(n), force(n);
    for (int i = 0; i < n; ++i) {
        body[i] = make_float4(c[4 * i], c[4 * i + 1], c[4 * i + 2], fabsf(c[4 * i + 3]));
    }
    float4 *from = toDevice(body), *to = toDevice(force);
    pull<<<(n + 63) / 64, 64>>>(from, to, n);
    fromDevice(force, to);
    CHECK(cudaFree(from));
    int wrong = 0;
    for (int i = 0; i < n; ++i) {
        double x = 0, y = 0, z = 0, size = 0;
        for (int j = 0; j < n; ++j) {
            const double dx = body[j].x - body[i].x, dy = body[j].y - body[i].y, dz = body[j].z - body[i].z;
            const double weight = body[j].w / (dx * dx + dy * dy + dz * dz + 1);
            x += dx * weight;
            y += dy * weight;
            z += dz * weight;
            size += (fabs(dx) + fabs(dy) + fabs(dz)) * weight;
        }
        wrong += fabs(force[i].x - x) + fabs(force[i].y - y) + fabs(force[i].z - z) > 1e-4 * size;
    }
    return verdict(wrong);
}
