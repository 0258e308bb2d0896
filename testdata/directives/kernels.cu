#include <cuda_runtime.h>

// Reverses the values of each block.
// smux:pin vtb-named N=2
__global__ void reverse(const float *in, float *out) {
    __shared__ float s[256];
    s[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * 256 + threadIdx.x] = s[255 - threadIdx.x];
}

// smux:ignore chosen the next release replaces it
__global__ void sums(const float *in, float *out, int n) {
    __shared__ float s[3072];
    float sum = 0;
    for (int i = 0; i < n; ++i) sum += in[(blockIdx.x * n + i) * 64 + threadIdx.x];
    s[threadIdx.x * 48] = sum;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = s[(63 - threadIdx.x) * 48];
}

// smux:ignore no-shared,no-gain,chosen it only copies
__global__ void copy(const float *in, float *out) {
    out[blockIdx.x * 64 + threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
}

void run(float *a, float *b) {
    reverse<<<1000, 256>>>(a, b);
    sums<<<10000, 64>>>(a, b, 64);
    copy<<<1000, 64>>>(a, b);
}
