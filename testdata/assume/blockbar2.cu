// edit: const int m = 16; -> const int m = 7;
#include <cstdio>
__global__ void k(const float *in, float *out, int m) {
    __shared__ float s[64];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = in[i];
    if (blockIdx.x < m) {
        s[threadIdx.x] = v;
        __syncthreads();
        v += s[63 - threadIdx.x];
        __syncthreads();
    }
    s[threadIdx.x] = v * 2;
    __syncthreads();
    out[i] = s[threadIdx.x ^ 3];
}
int main() {
    const int m = 16;
    static float h[4096]; float *a, *b;
    for (int i = 0; i < 4096; ++i) h[i] = i % 97;
    cudaMalloc(&a, sizeof h); cudaMalloc(&b, sizeof h); cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice); cudaMemset(b, 0, sizeof h);
    k<<<1024 / 64, 64>>>(a, b, m);
    cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost);
    double s = 0; for (int i = 0; i < 4096; ++i) s += h[i] * (i % 5 + 1); printf("%.1f\n", s);
}
