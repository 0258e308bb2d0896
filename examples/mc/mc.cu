// MC: marching cubes, the kernel that generates the triangles.
//
// Input is a volume of samples and the list of its active voxels, those that the surface passes
// through. A thread takes one voxel at a time: it computes the point where the surface may cut each
// of the voxel's 12 edges, and the normal there, and then emits the triangles of the voxel's case,
// whose corners are edge numbers read from a table. Registers can't be indexed by such a number, so
// the 24 float3 lie in shared memory, in a column per thread.
//
// PACT'12 Table 1: MC, 9324 bytes of shared memory and 32 threads per thread block.
//
// Usage: mc [thread blocks] [voxels per thread]

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

const int THREADS = 32;
const int EDGES = 12;
const int MAX_VERTICES = 15;  // of a case: five triangles
const int CASE_STRIDE = 16;   // entries of the table per case

// The volume has SIDE x SIDE voxels per slice, any number of slices, and two more samples than
// voxels in each direction: the far corner's, and one more for its gradient.
const int LOG_SIDE = 4;
const int SIDE = 1 << LOG_SIDE;
const int SAMPLES = SIDE + 2;

#define CHECK(call)                                                                                \
    do {                                                                                           \
        const cudaError_t status_ = (call);                                                        \
        if (status_ != cudaSuccess) {                                                              \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_));       \
            exit(EXIT_FAILURE);                                                                    \
        }                                                                                          \
    } while (0)

// Corners 0 ... 3 run round the near face, corners 4 ... 7 round the far one. Edges 0 ... 3 and
// 4 ... 7 are the sides of those faces, edges 8 ... 11 join them.
__host__ __device__ inline int cornerX(int corner)
{
    return (corner ^ corner >> 1) & 1;
}

__host__ __device__ inline int cornerY(int corner)
{
    return corner >> 1 & 1;
}

__host__ __device__ inline int cornerZ(int corner)
{
    return corner >> 2;
}

__host__ __device__ inline int edgeStart(int edge)
{
    return edge < 8 ? edge : edge - 8;
}

__host__ __device__ inline int edgeEnd(int edge)
{
    return edge < 8 ? (edge & 4) + ((edge + 1) & 3) : edge - 4;
}

__host__ __device__ inline size_t sampleIndex(int x, int y, int z)
{
    return ((size_t)z * SAMPLES + y) * SAMPLES + x;
}

__device__ __forceinline__ float3 mix(float3 a, float3 b, float u)
{
    return make_float3(a.x + u * (b.x - a.x), a.y + u * (b.y - a.y), a.z + u * (b.z - a.z));
}

// Emits the triangles of voxelsPerThread voxels per thread. firstVertex[i] is where the vertices of
// active voxel i begin in positions and normals.
__global__ void generateTriangles(const float *__restrict__ volume, float isoValue,
                                  const unsigned int *__restrict__ activeVoxels,
                                  const unsigned int *__restrict__ firstVertex,
                                  unsigned int activeCount, int voxelsPerThread,
                                  const unsigned char *__restrict__ vertexCount,
                                  const unsigned char *__restrict__ triangles,
                                  float4 *__restrict__ positions, float4 *__restrict__ normals)
{
    __shared__ float3 list[2 * EDGES][THREADS];  // the positions, then the normals
    __shared__ unsigned int cases[THREADS];      // which corners lie inside, one bit each

    const int t = threadIdx.x;

    for (int v = 0; v < voxelsPerThread; ++v) {
        // Threads behind the end of the list work on its last voxel and emit nothing.
        unsigned int i = (blockIdx.x * voxelsPerThread + v) * THREADS + t;
        const bool active = i < activeCount;
        if (!active) {
            i = activeCount - 1;
        }
        const unsigned int voxel = activeVoxels[i];
        const int x = voxel & (SIDE - 1);
        const int y = voxel >> LOG_SIDE & (SIDE - 1);
        const int z = voxel >> (2 * LOG_SIDE);

        float value[8];
        float3 gradient[8];
        unsigned int inside = 0;
#pragma unroll
        for (int c = 0; c < 8; ++c) {
            const int cx = x + cornerX(c), cy = y + cornerY(c), cz = z + cornerZ(c);
            const float here = volume[sampleIndex(cx, cy, cz)];
            value[c] = here;
            gradient[c] = make_float3(volume[sampleIndex(cx + 1, cy, cz)] - here,
                                      volume[sampleIndex(cx, cy + 1, cz)] - here,
                                      volume[sampleIndex(cx, cy, cz + 1)] - here);
            inside |= (unsigned int)(here < isoValue) << c;
        }

        cases[t] = inside;
#pragma unroll
        for (int e = 0; e < EDGES; ++e) {
            const int a = edgeStart(e), b = edgeEnd(e);
            const float u = (isoValue - value[a]) / (value[b] - value[a]);
            const float3 pa = make_float3(x + cornerX(a), y + cornerY(a), z + cornerZ(a));
            const float3 pb = make_float3(x + cornerX(b), y + cornerY(b), z + cornerZ(b));
            list[e][t] = mix(pa, pb, u);
            list[EDGES + e][t] = mix(gradient[a], gradient[b], u);
        }
        __syncthreads();  // columns are private; this only ends the part that all threads share

        const unsigned int count = active ? vertexCount[cases[t]] : 0;
        for (unsigned int k = 0; k < count; ++k) {
            const int edge = triangles[cases[t] * CASE_STRIDE + k];
            const float3 p = list[edge][t];
            const float3 n = list[EDGES + edge][t];
            const float scale = rsqrtf(n.x * n.x + n.y * n.y + n.z * n.z);
            positions[firstVertex[i] + k] = make_float4(p.x, p.y, p.z, 1.0f);
            normals[firstVertex[i] + k] = make_float4(n.x * scale, n.y * scale, n.z * scale, 0.0f);
        }
    }
}

// Fills in both tables. The corners of each face are listed counter-clockwise as seen from outside.
// On a face, a line cuts off every run of inside corners, from the edge where the run begins to the
// edge where it ends. Over the whole cube these lines join into loops, and each loop becomes a fan
// of triangles.
static void buildTables(std::vector<unsigned char> &vertexCount,
                        std::vector<unsigned char> &triangles)
{
    static const int faces[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4},
                                    {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};
    int edgeOf[8][8];
    for (int e = 0; e < EDGES; ++e) {
        edgeOf[edgeStart(e)][edgeEnd(e)] = edgeOf[edgeEnd(e)][edgeStart(e)] = e;
    }

    vertexCount.assign(256, 0);
    triangles.assign(256 * CASE_STRIDE, 0);
    for (int inside = 0; inside < 256; ++inside) {
        int next[EDGES];
        for (int e = 0; e < EDGES; ++e) {
            next[e] = -1;
        }
        for (int f = 0; f < 6; ++f) {
            for (int s = 0; s < 4; ++s) {
                const int before = faces[f][(s + 3) % 4];
                if (!(inside >> faces[f][s] & 1) || (inside >> before & 1)) {
                    continue;
                }
                int last = s;
                while (inside >> faces[f][(last + 1) % 4] & 1) {
                    ++last;
                }
                next[edgeOf[before][faces[f][s]]] =
                    edgeOf[faces[f][last % 4]][faces[f][(last + 1) % 4]];
            }
        }

        int count = 0;
        for (int e = 0; e < EDGES; ++e) {
            if (next[e] < 0) {
                continue;
            }
            int loop[EDGES], length = 0;
            for (int at = e; next[at] >= 0;) {
                loop[length++] = at;
                const int following = next[at];
                next[at] = -1;
                at = following;
            }
            for (int k = 2; k < length; ++k) {
                if (count == MAX_VERTICES) {
                    fprintf(stderr, "case %d has more than %d vertices\n", inside, MAX_VERTICES);
                    exit(EXIT_FAILURE);
                }
                unsigned char *triangle = &triangles[inside * CASE_STRIDE + count];
                triangle[0] = (unsigned char)loop[0];
                triangle[1] = (unsigned char)loop[k - 1];
                triangle[2] = (unsigned char)loop[k];
                count += 3;
            }
        }
        vertexCount[inside] = (unsigned char)count;
    }
}

// A small linear congruential generator, so that every run sees the same input.
static unsigned int nextRandom(unsigned int *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

// FNV-1a, 64 bits.
static unsigned long long checksum(const void *data, size_t bytes, unsigned long long hash)
{
    const unsigned char *p = (const unsigned char *)data;
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
        fprintf(stderr, "usage: %s [thread blocks, 1..65535] [voxels per thread, 1..32]\n",
                argv[0]);
        exit(EXIT_FAILURE);
    }
    return (int)value;
}

// Copies a vector to the device.
template <typename T>
static T *upload(const std::vector<T> &host)
{
    T *device;
    CHECK(cudaMalloc(&device, host.size() * sizeof(T)));
    CHECK(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
    return device;
}

int main(int argc, char **argv)
{
    const int blocks = countArgument(argc, argv, 1, 3, 65535);
    const int voxelsPerThread = countArgument(argc, argv, 2, 3, 32);
    const float isoValue = 0.5f;
    // The last thread block has a few threads without a voxel.
    const size_t wanted = (size_t)blocks * voxelsPerThread * THREADS - 5;

    std::vector<unsigned char> vertexCount, triangles;
    buildTables(vertexCount, triangles);

    // Slices of a wavy surface with noise on it, until there are enough active voxels. Voxel z has
    // its near corners in slice z of the samples.
    unsigned int seed = 1;
    std::vector<float> volume;
    std::vector<unsigned int> activeVoxels, firstVertex, cases;
    unsigned int vertices = 0;
    for (int slice = 0; activeVoxels.size() < wanted; ++slice) {
        for (int y = 0; y < SAMPLES; ++y) {
            for (int x = 0; x < SAMPLES; ++x) {
                const float noise = (float)(nextRandom(&seed) & 0xffff) / 65536.0f;
                const float wave = (float)((x * x + 2 * y * y + 3 * slice) % 64) / 64.0f;
                volume.push_back(0.75f * noise + 0.25f * wave);
            }
        }
        // The gradients of a voxel reach two slices further: classify the voxels that have all.
        const int z = slice - 2;
        for (int cell = 0; z >= 0 && cell < SIDE * SIDE && activeVoxels.size() < wanted; ++cell) {
            const int x = cell & (SIDE - 1), y = cell >> LOG_SIDE;
            unsigned int inside = 0;
            for (int c = 0; c < 8; ++c) {
                const size_t at = sampleIndex(x + cornerX(c), y + cornerY(c), z + cornerZ(c));
                inside |= (unsigned int)(volume[at] < isoValue) << c;
            }
            if (vertexCount[inside] > 0) {
                activeVoxels.push_back((unsigned int)z * SIDE * SIDE + cell);
                firstVertex.push_back(vertices);
                cases.push_back(inside);
                vertices += vertexCount[inside];
            }
        }
    }

    float *deviceVolume = upload(volume);
    unsigned int *deviceActive = upload(activeVoxels);
    unsigned int *deviceFirst = upload(firstVertex);
    unsigned char *deviceCount = upload(vertexCount);
    unsigned char *deviceTriangles = upload(triangles);
    float4 *devicePositions, *deviceNormals;
    const size_t bytes = vertices * sizeof(float4);
    CHECK(cudaMalloc(&devicePositions, bytes));
    CHECK(cudaMalloc(&deviceNormals, bytes));

    generateTriangles<<<blocks, THREADS>>>(deviceVolume, isoValue, deviceActive, deviceFirst,
                                           (unsigned int)activeVoxels.size(), voxelsPerThread,
                                           deviceCount, deviceTriangles, devicePositions,
                                           deviceNormals);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());

    std::vector<float4> positions(vertices), normals(vertices);
    CHECK(cudaMemcpy(positions.data(), devicePositions, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(normals.data(), deviceNormals, bytes, cudaMemcpyDeviceToHost));

    size_t wrong = 0;
    for (size_t i = 0; i < activeVoxels.size(); ++i) {
        const int x = activeVoxels[i] & (SIDE - 1);
        const int y = activeVoxels[i] >> LOG_SIDE & (SIDE - 1);
        const int z = activeVoxels[i] >> (2 * LOG_SIDE);
        for (int k = 0; k < vertexCount[cases[i]]; ++k) {
            const int edge = triangles[cases[i] * CASE_STRIDE + k];
            double value[2], point[2][3], gradient[2][3];
            for (int end = 0; end < 2; ++end) {
                const int c = end == 0 ? edgeStart(edge) : edgeEnd(edge);
                const int cx = x + cornerX(c), cy = y + cornerY(c), cz = z + cornerZ(c);
                value[end] = volume[sampleIndex(cx, cy, cz)];
                point[end][0] = cx;
                point[end][1] = cy;
                point[end][2] = cz;
                gradient[end][0] = volume[sampleIndex(cx + 1, cy, cz)] - value[end];
                gradient[end][1] = volume[sampleIndex(cx, cy + 1, cz)] - value[end];
                gradient[end][2] = volume[sampleIndex(cx, cy, cz + 1)] - value[end];
            }
            const double u = (isoValue - value[0]) / (value[1] - value[0]);
            double p[3], n[3], square = 0.0;
            for (int axis = 0; axis < 3; ++axis) {
                p[axis] = point[0][axis] + u * (point[1][axis] - point[0][axis]);
                n[axis] = gradient[0][axis] + u * (gradient[1][axis] - gradient[0][axis]);
                square += n[axis] * n[axis];
            }
            const float4 gotP = positions[firstVertex[i] + k];
            const float4 gotN = normals[firstVertex[i] + k];
            const double length = sqrt(square);
            const double moved = fabs(gotP.x - p[0]) + fabs(gotP.y - p[1]) + fabs(gotP.z - p[2]);
            const double turned = fabs(gotN.x - n[0] / length) + fabs(gotN.y - n[1] / length) +
                                  fabs(gotN.z - n[2] / length);
            // Coordinates lose digits as z grows, normals where the gradient is short.
            wrong += !(moved < 1e-4 + 1e-6 * z && turned < 1e-4 + 1e-5 / length && gotP.w == 1.0f &&
                       gotN.w == 0.0f);
        }
    }

    CHECK(cudaFree(deviceVolume));
    CHECK(cudaFree(deviceActive));
    CHECK(cudaFree(deviceFirst));
    CHECK(cudaFree(deviceCount));
    CHECK(cudaFree(deviceTriangles));
    CHECK(cudaFree(devicePositions));
    CHECK(cudaFree(deviceNormals));
    unsigned long long sum = checksum(positions.data(), bytes, 14695981039346656037ull);
    sum = checksum(normals.data(), bytes, sum);
    printf("mc: %d thread blocks, %zu wrong, checksum %016llx\n", blocks, wrong, sum);
    printf("%s\n", wrong == 0 ? "PASS" : "FAIL");
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
