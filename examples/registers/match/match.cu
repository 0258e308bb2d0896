// Match: where the parts of one picture went in the next.
//
// For each pixel the neighbourhood of 5x5 in the first picture is compared with those around the
// same place in the second, by normalised correlation; the best displacement wins, and the second
// best score says how sure that is. A thread block holds the part of both pictures that it needs in
// shared memory. One thread takes one pixel.
//
// The shape is that of Hayes and Zhang's heart wall tracking: template matching with shared memory
// (11872 bytes there, 8400 here); blocks of 512 threads.
//
// Usage: match [thread blocks across] [thread blocks down]

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

#define SIDE_X 32  // of a thread block
#define SIDE_Y 16
#define REACH 5    // displacements go up to so many pixels
#define HALF 2     // the neighbourhood is 2 * HALF + 1 pixels wide
#define AREA ((2 * HALF + 1) * (2 * HALF + 1))
#define OWN_X (SIDE_X + 2 * HALF)
#define OWN_Y (SIDE_Y + 2 * HALF)
#define ALL_X (OWN_X + 2 * REACH)
#define ALL_Y (OWN_Y + 2 * REACH)

__host__ __device__ inline int inside(int v, int n)
{
    return v < 0 ? 0 : v < n ? v : n - 1;
}

// For each pixel the displacement with the best score (x and y), that score, and the second best.
__global__ void track(const float *__restrict__ before, const float *__restrict__ after,
                      float4 *__restrict__ found, int width, int height)
{
    __shared__ float own[OWN_X * OWN_Y];
    __shared__ float all[ALL_X * ALL_Y];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int left = blockIdx.x * SIDE_X, top = blockIdx.y * SIDE_Y;

    for (int i = ty * SIDE_X + tx; i < OWN_X * OWN_Y; i += SIDE_X * SIDE_Y) {
        const int x = inside(left + i % OWN_X - HALF, width);
        const int y = inside(top + i / OWN_X - HALF, height);
        own[i] = before[y * width + x];
    }
    for (int i = ty * SIDE_X + tx; i < ALL_X * ALL_Y; i += SIDE_X * SIDE_Y) {
        const int x = inside(left + i % ALL_X - REACH - HALF, width);
        const int y = inside(top + i / ALL_X - REACH - HALF, height);
        all[i] = after[y * width + x];
    }
    __syncthreads();

    int at = ty * OWN_X + tx;
    float sum = 0.0f, squares = 0.0f;
    for (int j = 0; j <= 2 * HALF; ++j) {
        for (int i = 0; i <= 2 * HALF; ++i) {
            const float a = own[at + j * OWN_X + i];
            sum += a;
            squares += a * a;
        }
    }
    const float spread = squares - sum * sum / AREA;
    float best = -2.0f, second = -2.0f;
    int bestX = 0, bestY = 0;

    for (int dy = 0; dy <= 2 * REACH; ++dy) {
        for (int dx = 0; dx <= 2 * REACH; ++dx) {
            const int there = (ty + dy) * ALL_X + tx + dx;
            float s = 0.0f, ss = 0.0f, product = 0.0f;
            for (int j = 0; j <= 2 * HALF; ++j) {
                for (int i = 0; i <= 2 * HALF; ++i) {
                    const float a = own[at + j * OWN_X + i], b = all[there + j * ALL_X + i];
                    s += b;
                    ss += b * b;
                    product += a * b;
                }
            }
            const float score =
                (product - sum * s / AREA) * rsqrtf(spread * (ss - s * s / AREA) + 1e-6f);
            if (score > best) {
                second = best;
                best = score;
                bestX = dx - REACH;
                bestY = dy - REACH;
            } else if (score > second) {
                second = score;
            }
        }
    }

    const int x = left + tx, y = top + ty;
    if (x < width && y < height) {
        found[y * width + x] = make_float4(bestX, bestY, best, second);
    }
}

// The score of a displacement on the host.
static double scoreOf(const std::vector<float> &before, const std::vector<float> &after, int width,
                      int height, int x, int y, int dx, int dy)
{
    double a1 = 0, a2 = 0, b1 = 0, b2 = 0, ab = 0;
    for (int j = -HALF; j <= HALF; ++j) {
        for (int i = -HALF; i <= HALF; ++i) {
            const double a = before[(size_t)inside(y + j, height) * width + inside(x + i, width)];
            const double b = after[(size_t)inside(y + dy + j, height) * width + inside(x + dx + i, width)];
            a1 += a, a2 += a * a, b1 += b, b2 += b * b, ab += a * b;
        }
    }
    return (ab - a1 * b1 / AREA) / sqrt((a2 - a1 * a1 / AREA) * (b2 - b1 * b1 / AREA) + 1e-6);
}

// A small linear congruential generator, so that every run sees the same input.
static unsigned int nextRandom(unsigned int *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

// A number in [low, high).
static float uniform(unsigned int *state, float low, float high)
{
    return low + (high - low) * (float)(nextRandom(state) & 0xffff) / (float)65536;
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
        fprintf(stderr, "usage: %s [thread blocks across, 1..512] [down, 1..512]\n", argv[0]);
        exit(EXIT_FAILURE);
    }
    return (int)value;
}

int main(int argc, char **argv)
{
    const int across = countArgument(argc, argv, 1, 1, 512);
    const int down = countArgument(argc, argv, 2, 1, 512);
    const int width = across * SIDE_X - 5, height = down * SIDE_Y - 3;
    const size_t pixels = (size_t)width * height;

    // The second picture is the first one moved by (2, -1), with some noise.
    unsigned int seed = 1;
    std::vector<float> before(pixels), after(pixels);
    std::vector<float4> found(pixels);
    for (size_t i = 0; i < pixels; ++i) {
        before[i] = uniform(&seed, 0, 1);
    }
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            after[(size_t)y * width + x] =
                0.9f * before[(size_t)inside(y + 1, height) * width + inside(x - 2, width)] +
                uniform(&seed, 0, 0.1f);
        }
    }

    float *deviceBefore = toDevice(before), *deviceAfter = toDevice(after);
    float4 *deviceFound = toDevice(found);
    track<<<dim3(across, down), dim3(SIDE_X, SIDE_Y)>>>(deviceBefore, deviceAfter, deviceFound, width,
                                                        height);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    fromDevice(found, deviceFound);
    CHECK(cudaFree(deviceBefore));
    CHECK(cudaFree(deviceAfter));

    // The displacement that was found must be as good as the best, but for rounding.
    size_t wrong = 0, moved = 0;
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            const float4 f = found[(size_t)y * width + x];
            double best = -2, second = -2;
            for (int dy = -REACH; dy <= REACH; ++dy) {
                for (int dx = -REACH; dx <= REACH; ++dx) {
                    const double score = scoreOf(before, after, width, height, x, y, dx, dy);
                    second = fmax(second, fmin(best, score));
                    best = fmax(best, score);
                }
            }
            const double here = scoreOf(before, after, width, height, x, y, (int)f.x, (int)f.y);
            wrong += !(fabs(f.z - best) <= 1e-3 && fabs(f.w - second) <= 1e-3 && best - here <= 1e-3);
            moved += f.x == 2 && f.y == -1;
        }
    }
    printf("match: %d thread blocks, %zu wrong\n", across * down, wrong);
    wrong += moved < pixels / 2;  // or else the pictures are no test
    printf("%s\n", wrong == 0 ? "PASS" : "FAIL");
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
