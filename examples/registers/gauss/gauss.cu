// Gauss: a recursive Gaussian filter along the columns of an image.
//
// A Gaussian of any width costs three multiplications per pixel and direction where it is taken as
// a recursion of third order (Young and van Vliet 1995): one pass down each column and one back up.
// One thread filters one column of four channels. The state of the recursion, three rows of four
// channels, stays in registers, and so does each channel's range, since the recursion may overshoot
// where the image has an edge.
//
// The shape of Hayes and Zhang's recursive Gaussian: 42 registers, no shared memory, 128 threads.
//
// Usage: gauss [thread blocks] [rows]

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

// The recursion w[y] = gain * in[y] + b1 * w[y-1] + b2 * w[y-2] + b3 * w[y-3].
struct Recursion {
    float gain, b1, b2, b3;
};

__host__ __device__ inline float next(Recursion r, float in, float w1, float w2, float w3)
{
    return r.gain * in + r.b1 * w1 + r.b2 * w2 + r.b3 * w3;
}

__device__ inline unsigned char toByte(float value, float low, float high)
{
    return (unsigned char)(fminf(fmaxf(value, low), high) + 0.5f);
}

// Filters the columns of in; down holds what the first pass leaves.
__global__ void smooth(const uchar4 *__restrict__ in, float4 *__restrict__ down,
                       uchar4 *__restrict__ out, int width, int height, Recursion r)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= width) {
        return;
    }
    const uchar4 first = in[x];
    float4 w1 = make_float4(first.x, first.y, first.z, first.w);
    float4 w2 = w1, w3 = w1;  // as if the first row went on above the image
    float4 low = w1, high = w1;

    for (int y = 0; y < height; ++y) {
        const uchar4 p = in[y * width + x];
        float4 w;
        w.x = next(r, p.x, w1.x, w2.x, w3.x);
        w.y = next(r, p.y, w1.y, w2.y, w3.y);
        w.z = next(r, p.z, w1.z, w2.z, w3.z);
        w.w = next(r, p.w, w1.w, w2.w, w3.w);
        low.x = fminf(low.x, p.x);
        low.y = fminf(low.y, p.y);
        low.z = fminf(low.z, p.z);
        low.w = fminf(low.w, p.w);
        high.x = fmaxf(high.x, p.x);
        high.y = fmaxf(high.y, p.y);
        high.z = fmaxf(high.z, p.z);
        high.w = fmaxf(high.w, p.w);
        down[y * width + x] = w;
        w3 = w2;
        w2 = w1;
        w1 = w;
    }

    w2 = w1;
    w3 = w1;
    for (int y = height - 1; y >= 0; --y) {
        const float4 p = down[y * width + x];
        float4 w;
        w.x = next(r, p.x, w1.x, w2.x, w3.x);
        w.y = next(r, p.y, w1.y, w2.y, w3.y);
        w.z = next(r, p.z, w1.z, w2.z, w3.z);
        w.w = next(r, p.w, w1.w, w2.w, w3.w);
        w3 = w2;
        w2 = w1;
        w1 = w;
        out[y * width + x] = make_uchar4(toByte(w.x, low.x, high.x), toByte(w.y, low.y, high.y),
                                         toByte(w.z, low.z, high.z), toByte(w.w, low.w, high.w));
    }
}

// The recursion for a standard deviation of sigma pixels, from the paper's fit.
static Recursion recursionFor(double sigma)
{
    const double q = 0.98711 * sigma - 0.96330;
    const double b0 = 1.57825 + 2.44413 * q + 1.4281 * q * q + 0.422205 * q * q * q;
    const double b1 = 2.44413 * q + 2.85619 * q * q + 1.26661 * q * q * q;
    const double b2 = -(1.4281 * q * q + 1.26661 * q * q * q);
    const double b3 = 0.422205 * q * q * q;
    return Recursion{(float)(1 - (b1 + b2 + b3) / b0), (float)(b1 / b0), (float)(b2 / b0),
                     (float)(b3 / b0)};
}

// One channel of one column on the host, in double.
static std::vector<double> smoothed(const std::vector<double> &in, Recursion r)
{
    const int n = (int)in.size();
    std::vector<double> down(n), up(n);
    double low = in[0], high = in[0], w1 = in[0], w2 = in[0], w3 = in[0];
    for (int y = 0; y < n; ++y) {
        down[y] = r.gain * in[y] + r.b1 * w1 + r.b2 * w2 + r.b3 * w3;
        low = fmin(low, in[y]);
        high = fmax(high, in[y]);
        w3 = w2, w2 = w1, w1 = down[y];
    }
    w2 = w3 = w1;
    for (int y = n - 1; y >= 0; --y) {
        up[y] = r.gain * down[y] + r.b1 * w1 + r.b2 * w2 + r.b3 * w3;
        w3 = w2, w2 = w1, w1 = up[y];
        up[y] = fmin(fmax(up[y], low), high);
    }
    return up;
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
        fprintf(stderr, "usage: %s [thread blocks, 1..8192] [rows, 1..4096]\n", argv[0]);
        exit(EXIT_FAILURE);
    }
    return (int)value;
}

int main(int argc, char **argv)
{
    const int block = 128;
    const int blocks = countArgument(argc, argv, 1, 2, 8192);
    const int height = countArgument(argc, argv, 2, 20, 4096);
    const int width = blocks * block - 5;
    const size_t pixels = (size_t)width * height;

    unsigned int seed = 1;
    std::vector<uchar4> in(pixels), out(pixels);
    for (size_t i = 0; i < pixels; ++i) {
        // Bars and noise, so that there are edges.
        const unsigned char bar = (i / 7) % 3 == 0 ? 160 : 0;
        in[i] = make_uchar4(bar + nextRandom(&seed) % 90, nextRandom(&seed) % 256, bar,
                            nextRandom(&seed) % 256);
    }
    const Recursion r = recursionFor(3.0);

    uchar4 *deviceIn = toDevice(in), *deviceOut = toDevice(out);
    float4 *deviceDown;
    CHECK(cudaMalloc(&deviceDown, pixels * sizeof(float4)));
    smooth<<<blocks, 128>>>(deviceIn, deviceDown, deviceOut, width, height, r);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    fromDevice(out, deviceOut);
    CHECK(cudaFree(deviceDown));
    CHECK(cudaFree(deviceIn));

    size_t wrong = 0;
    for (int x = 0; x < width; ++x) {
        for (int channel = 0; channel < 4; ++channel) {
            std::vector<double> column(height);
            for (int y = 0; y < height; ++y) {
                column[y] = ((const unsigned char *)&in[(size_t)y * width + x])[channel];
            }
            const std::vector<double> expected = smoothed(column, r);
            for (int y = 0; y < height; ++y) {
                const unsigned char got = ((const unsigned char *)&out[(size_t)y * width + x])[channel];
                wrong += !(fabs(got - expected[y]) <= 0.51);
            }
        }
    }
    printf("gauss: %d thread blocks, %zu wrong\n", blocks, wrong);
    printf("%s\n", wrong == 0 ? "PASS" : "FAIL");
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
