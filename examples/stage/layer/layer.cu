// LAYER: a layer of a neural network forward: each unit weighs all inputs, one thread for a unit.
//
// The weights of an input lie side by side, with one more in front of each row for the bias.
//
// Usage: layer [inputs] [units]

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

__global__ void layer(const float *__restrict__ weight, const float *__restrict__ in, float *__restrict__ out, int inputs, int units)
{
    const int unit = blockIdx.x * blockDim.x + threadIdx.x + 1;
    if (unit > units) {
        return;
    }
    float sum = weight[unit];
    for (int k = 0; k < inputs; ++k) {
        sum += weight[(k + 1) * (units + 1) + unit] * in[k];
    }
    out[unit] = sum > 0 ? sum : 0.01f * sum;
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
    const int inputs = extent(argc, argv, 1, 70), units = extent(argc, argv, 2, 200);
    const std::vector<float> weight = numbers((inputs + 1) * (units + 1), 1), in = numbers(inputs, 2);
    std::vector<float> out(units + 1);
    float *dw = toDevice(weight), *from = toDevice(in), *to = toDevice(out);
    layer<<<(units + 127) / 128, 128>>>(dw, from, to, inputs, units);
    fromDevice(out, to);
    CHECK(cudaFree(dw));
    CHECK(cudaFree(from));
    int wrong = 0;
    for (int unit = 1; unit <= units; ++unit) {
        float sum = weight[unit];
        for (int k = 0; k < inputs; ++k) {
            sum += weight[(k + 1) * (units + 1) + unit] * in[k];
        }
        wrong += out[unit] != (sum > 0 ? sum : 0.01f * sum);
    }
    return verdict(wrong);
}
