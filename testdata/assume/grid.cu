// edit: blocks = 8; -> blocks = 16;
#include <cstdio>
__global__ void k(const float *in, float *out) {
    __shared__ float s[64];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    s[threadIdx.x] = 0;
    if (i < 1000) s[threadIdx.x] = in[i];
    __syncthreads();
    out[i] = s[63 - threadIdx.x];
}
int main() {
    const int blocks = 8;
    static float h[4096]; float *a, *b;
    for (int i = 0; i < 4096; ++i) h[i] = i % 97;
    cudaMalloc(&a, sizeof h); cudaMalloc(&b, sizeof h); cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice); cudaMemset(b, 0, sizeof h);
    k<<<blocks, 64>>>(a, b);
    cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost);
    double s = 0; for (int i = 0; i < 4096; ++i) s += h[i] * (i % 5 + 1); printf("%.1f\n", s);
}
