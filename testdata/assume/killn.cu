// edit: const int n = 1024; -> const int n = 1001;
#include <cstdio>
__global__ void k(const float *in, float *out, int n) {
    __shared__ float s[64];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    s[threadIdx.x] = in[i];
    __syncthreads();
    const float v = s[63 - threadIdx.x];
    __syncthreads();
    if (i < n) s[threadIdx.x] = v + in[i];
    __syncthreads();
    out[i] = s[63 - threadIdx.x] + s[threadIdx.x ^ 1];
}
int main() {
    const int n = 1024;
    static float h[4096]; float *a, *b;
    for (int i = 0; i < 4096; ++i) h[i] = i % 97;
    cudaMalloc(&a, sizeof h); cudaMalloc(&b, sizeof h); cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice); cudaMemset(b, 0, sizeof h);
    k<<<(n + 63) / 64, 64>>>(a, b, n);
    cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost);
    double s = 0; for (int i = 0; i < 4096; ++i) s += h[i] * (i % 5 + 1); printf("%.1f\n", s);
}
