// KNN: the eight nearest neighbours of each point, sorted per thread.
//
// One thread looks for the neighbours of one point among all others and keeps the best eight in
// order: a new one goes through the list like a bubble, and pushes the last one out. The list is an
// array whose subscripts are constants once the loop over it is unrolled, and so lies in registers.
//
// The shape is that of sorting per thread: 40 registers, no shared memory, 256 threads.
//
// Usage: knn [thread blocks] [points to search]

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

#define KEEP 8

// For each of queries points the distances to the nearest of count points, squared and rising, and
// their numbers; the k-th ones of all queries stand side by side.
__global__ void nearest(const float4 *__restrict__ query, const float4 *__restrict__ point,
                        float *__restrict__ distance, int *__restrict__ index, int queries, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= queries) {
        return;
    }
    const float4 q = query[i];
    float best[KEEP];
    int which[KEEP];
#pragma unroll
    for (int k = 0; k < KEEP; ++k) {
        best[k] = 3.0e38f;
        which[k] = -1;
    }

    for (int j = 0; j < count; ++j) {
        const float4 p = point[j];
        const float x = p.x - q.x, y = p.y - q.y, z = p.z - q.z, w = p.w - q.w;
        float d = x * x + y * y + z * z + w * w;
        int at = j;
        if (d >= best[KEEP - 1]) {
            continue;
        }
#pragma unroll
        for (int k = 0; k < KEEP; ++k) {
            if (d < best[k]) {
                const float further = best[k];
                const int other = which[k];
                best[k] = d;
                which[k] = at;
                d = further;
                at = other;
            }
        }
    }

#pragma unroll
    for (int k = 0; k < KEEP; ++k) {
        distance[k * queries + i] = best[k];
        index[k * queries + i] = which[k];
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

// Argument number index as a count from 1 to max, or fallback where it is not given.
static int countArgument(int argc, char **argv, int index, int fallback, int max)
{
    if (index >= argc) {
        return fallback;
    }
    char *end = NULL;
    const long value = strtol(argv[index], &end, 10);
    if (argc > 3 || end == argv[index] || *end != '\0' || value < 1 || value > max) {
        fprintf(stderr, "usage: %s [thread blocks, 1..65535] [points to search, 1..1048576]\n", argv[0]);
        exit(EXIT_FAILURE);
    }
    return (int)value;
}

int main(int argc, char **argv)
{
    const int block = 256;
    const int blocks = countArgument(argc, argv, 1, 2, 65535);
    const int count = countArgument(argc, argv, 2, 70, 1 << 20);
    const int queries = blocks * block - 3;

    // Multiples of 1/8 in [0, 8): the squares are exact in float.
    unsigned int seed = 1;
    std::vector<float4> query(queries), point(count);
    for (int i = 0; i < queries + count; ++i) {
        float4 &p = i < queries ? query[i] : point[i - queries];
        p.x = (nextRandom(&seed) & 63) / 8.0f;
        p.y = (nextRandom(&seed) & 63) / 8.0f;
        p.z = (nextRandom(&seed) & 63) / 8.0f;
        p.w = (nextRandom(&seed) & 63) / 8.0f;
    }
    std::vector<float> distance((size_t)KEEP * queries);
    std::vector<int> index((size_t)KEEP * queries);

    float4 *deviceQuery = toDevice(query), *devicePoint = toDevice(point);
    float *deviceDistance = toDevice(distance);
    int *deviceIndex = toDevice(index);
    nearest<<<blocks, 256>>>(deviceQuery, devicePoint, deviceDistance, deviceIndex, queries, count);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    fromDevice(distance, deviceDistance);
    fromDevice(index, deviceIndex);
    CHECK(cudaFree(deviceQuery));
    CHECK(cudaFree(devicePoint));

    // All distances, sorted. Of equal ones any may come first, but each point only once.
    size_t wrong = 0;
    std::vector<float> all(count), sorted;
    for (int i = 0; i < queries; i += 1 + queries / 4096) {
        for (int j = 0; j < count; ++j) {
            const float x = point[j].x - query[i].x, y = point[j].y - query[i].y;
            const float z = point[j].z - query[i].z, w = point[j].w - query[i].w;
            all[j] = x * x + y * y + z * z + w * w;
        }
        sorted = all;
        std::sort(sorted.begin(), sorted.end());
        for (int k = 0; k < KEEP; ++k) {
            const size_t at = (size_t)k * queries + i;
            const int j = index[at];
            if (k >= count) {
                wrong += j != -1;
                continue;
            }
            bool right = j >= 0 && j < count && distance[at] == sorted[k];
            if (right) {
                right = all[j] == sorted[k];
                all[j] = -1.0f;
            }
            wrong += !right;
        }
    }
    printf("knn: %d thread blocks, %zu wrong\n", blocks, wrong);
    printf("%s\n", wrong == 0 ? "PASS" : "FAIL");
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
