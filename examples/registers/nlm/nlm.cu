// NLM: denoising of an image by non-local means.
//
// Each pixel becomes a mean over a window of 15x15, in which a pixel weighs the more the more its
// neighbourhood of 3x3 looks like the own one (Buades, Coll and Morel 2005). One thread makes one
// pixel. The own neighbourhood stays in registers; the windows overlap, so that the first-level
// cache serves the others.
//
// The shape of Hayes and Zhang's image denoising: 44 registers, no shared memory; here in blocks of
// 256 threads.
//
// Usage: nlm [thread blocks across] [thread blocks down]

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

#define SIDE 16   // of a thread block
#define REACH 7   // the window is 2 * REACH + 1 pixels wide
#define PATCH 3   // the neighbourhood that is compared

__host__ __device__ inline int inside(int v, int n)
{
    return v < 0 ? 0 : v < n ? v : n - 1;
}

// Denoises in. luma is its brightness, from 0 to 1; decay says how fast the weight falls with the
// squared difference of neighbourhoods. spread is the weighted variance of the brightness.
__global__ void denoise(const uchar4 *__restrict__ in, const float *__restrict__ luma,
                        uchar4 *__restrict__ out, float *__restrict__ spread, int width,
                        int height, float decay, float blend)
{
    const int x = blockIdx.x * SIDE + threadIdx.x, y = blockIdx.y * SIDE + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    float own[PATCH][PATCH];
#pragma unroll
    for (int j = 0; j < PATCH; ++j) {
#pragma unroll
        for (int i = 0; i < PATCH; ++i) {
            own[j][i] = luma[inside(y + j - 1, height) * width + inside(x + i - 1, width)];
        }
    }
    const uchar4 noisy = in[y * width + x];
    float3 mean = make_float3(0.0f, 0.0f, 0.0f);
    float square = 0.0f, weights = 0.0f, largest = 0.0f;

    for (int dy = -REACH; dy <= REACH; ++dy) {
        for (int dx = -REACH; dx <= REACH; ++dx) {
            float distance = 0.0f;
#pragma unroll
            for (int j = 0; j < PATCH; ++j) {
#pragma unroll
                for (int i = 0; i < PATCH; ++i) {
                    const float d = own[j][i] - luma[inside(y + dy + j - 1, height) * width +
                                                     inside(x + dx + i - 1, width)];
                    distance += d * d;
                }
            }
            const float w = __expf(-distance * decay);
            const int at = inside(y + dy, height) * width + inside(x + dx, width);
            const uchar4 c = in[at];
            const float l = luma[at];
            mean.x += w * c.x;
            mean.y += w * c.y;
            mean.z += w * c.z;
            square += w * l * l;
            weights += w;
            if (dx != 0 || dy != 0) {
                largest = fmaxf(largest, w);
            }
        }
    }

    // A pixel that nothing resembles stays as it is.
    const float scale = 1.0f / weights, k = blend * largest, l = own[1][1];
    out[y * width + x] = make_uchar4((unsigned char)(noisy.x + (mean.x * scale - noisy.x) * k + 0.5f),
                                     (unsigned char)(noisy.y + (mean.y * scale - noisy.y) * k + 0.5f),
                                     (unsigned char)(noisy.z + (mean.z * scale - noisy.z) * k + 0.5f),
                                     noisy.w);
    spread[y * width + x] = square * scale - l * l;
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
        fprintf(stderr, "usage: %s [thread blocks across, 1..512] [down, 1..512]\n", argv[0]);
        exit(EXIT_FAILURE);
    }
    return (int)value;
}

int main(int argc, char **argv)
{
    const int across = countArgument(argc, argv, 1, 1, 512);
    const int down = countArgument(argc, argv, 2, 2, 512);
    const int width = across * SIDE - 3, height = down * SIDE - 2;
    const float decay = 8.0f, blend = 0.9f;
    const size_t pixels = (size_t)width * height;

    unsigned int seed = 1;
    std::vector<uchar4> in(pixels), out(pixels);
    std::vector<float> luma(pixels), spread(pixels);
    for (size_t i = 0; i < pixels; ++i) {
        const int x = (int)(i % width), y = (int)(i / width);
        const int base = (x / 5 + y / 4) % 2 ? 60 : 180;  // squares, and noise over them
        in[i] = make_uchar4(base + nextRandom(&seed) % 50, base + nextRandom(&seed) % 30, base / 2,
                            nextRandom(&seed) % 256);
        luma[i] = (0.299f * in[i].x + 0.587f * in[i].y + 0.114f * in[i].z) / 255.0f;
    }

    uchar4 *deviceIn = toDevice(in), *deviceOut = toDevice(out);
    float *deviceLuma = toDevice(luma), *deviceSpread = toDevice(spread);
    denoise<<<dim3(across, down), dim3(SIDE, SIDE)>>>(deviceIn, deviceLuma, deviceOut, deviceSpread,
                                                      width, height, decay, blend);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    fromDevice(out, deviceOut);
    fromDevice(spread, deviceSpread);
    CHECK(cudaFree(deviceIn));
    CHECK(cudaFree(deviceLuma));

    size_t wrong = 0;
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            double sum[3] = {0, 0, 0}, square = 0, weights = 0, largest = 0;
            for (int dy = -REACH; dy <= REACH; ++dy) {
                for (int dx = -REACH; dx <= REACH; ++dx) {
                    double distance = 0;
                    for (int j = -1; j <= 1; ++j) {
                        for (int i = -1; i <= 1; ++i) {
                            const double a = luma[inside(y + j, height) * width + inside(x + i, width)];
                            const double b = luma[inside(y + dy + j, height) * width +
                                                  inside(x + dx + i, width)];
                            distance += (a - b) * (a - b);
                        }
                    }
                    const double w = exp(-distance * decay);
                    const size_t at = (size_t)inside(y + dy, height) * width + inside(x + dx, width);
                    sum[0] += w * in[at].x;
                    sum[1] += w * in[at].y;
                    sum[2] += w * in[at].z;
                    square += w * luma[at] * luma[at];
                    weights += w;
                    largest = dx != 0 || dy != 0 ? fmax(largest, w) : largest;
                }
            }
            const size_t at = (size_t)y * width + x;
            for (int channel = 0; channel < 3; ++channel) {
                const double noisy = ((const unsigned char *)&in[at])[channel];
                const double expected = noisy + (sum[channel] / weights - noisy) * blend * largest;
                wrong += !(fabs(((const unsigned char *)&out[at])[channel] - expected) <= 0.51);
            }
            wrong += out[at].w != in[at].w;
            wrong += !(fabs(spread[at] - (square / weights - (double)luma[at] * luma[at])) <= 1e-4);
        }
    }
    printf("nlm: %d thread blocks, %zu wrong\n", across * down, wrong);
    printf("%s\n", wrong == 0 ? "PASS" : "FAIL");
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
