// edit: const int n = 1024; -> const int n = 1001;
#include <cstdio>
__global__ void k(const float *__restrict__ in, float *__restrict__ out, int n) {
    __shared__ float s[64];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    s[threadIdx.x] = 0;
    if (i < n) s[threadIdx.x] = in[i];
    __syncthreads();
    float v = s[63 - threadIdx.x];
    if (i < n) out[i] = v + in[i] + s[threadIdx.x ^ 1];
}
int main() {
    const int n = 1024; static float h[4096]; float *a, *b;
    for (int i = 0; i < 4096; ++i) h[i] = i % 97;
    cudaMalloc(&a, n * 4); cudaMalloc(&b, n * 4); cudaMemcpy(a, h, n * 4, cudaMemcpyHostToDevice); cudaMemset(b, 0, n * 4);
    k<<<(n + 63) / 64, 64>>>(a, b, n);
    cudaMemcpy(h, b, n * 4, cudaMemcpyDeviceToHost);
    double s = 0; for (int i = 0; i < n; ++i) s += h[i] * (i % 5 + 1); printf("%.1f\n", s);
}
