// edit: #define ITEMS 4 -> #define ITEMS 8
#include <cstdio>
#define ITEMS 4
__global__ void k(const float *__restrict__ in, float *__restrict__ out) {
    __shared__ float s[64 * ITEMS];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
    for (int j = 0; j < ITEMS; ++j) s[threadIdx.x + 64 * j] = in[i + 64 * j];
    __syncthreads();
    float v = 0;
#pragma unroll
    for (int j = 0; j < ITEMS; ++j) v += in[i + 32 * j];
#pragma unroll
    for (int j = 0; j < ITEMS; ++j) out[i + 1024 * (j % 2)] = s[(threadIdx.x + 1) % 64 + 64 * j] + v + in[i + j];
}
int main() {
    static float h[4096]; float *a, *b;
    for (int i = 0; i < 4096; ++i) h[i] = i % 97;
    cudaMalloc(&a, sizeof h); cudaMalloc(&b, sizeof h); cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice); cudaMemset(b, 0, sizeof h);
    k<<<1024 / 64, 64>>>(a, b);
    cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost);
    double s = 0; for (int i = 0; i < 4096; ++i) s += h[i] * (i % 5 + 1); printf("%.1f\n", s);
}
