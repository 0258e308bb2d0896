// define: MODE=1
#include <cstdio>
#ifndef MODE
#define MODE 0
#endif
__global__ void k(const float *in, float *out) {
    __shared__ float s[64];
    const int t = threadIdx.x;
    s[t] = in[blockIdx.x * 64 + t];
    __syncthreads();
    float x = s[63 - t];
#if MODE == 1
    __syncthreads();
    s[t] = x * 2;
    __syncthreads();
    x += s[(t + 1) % 64];
#endif
    float y = x;
    for (int i = 0; i < 20; ++i) y = y * 1.5f + in[i];
#if MODE == 1
    y += s[(t + 2) % 64];
#endif
    out[blockIdx.x * 64 + t] = y;
}
int main() {
    static float h[4096]; float *a, *b;
    for (int i = 0; i < 4096; ++i) h[i] = i % 97;
    cudaMalloc(&a, sizeof h); cudaMalloc(&b, sizeof h); cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice); cudaMemset(b, 0, sizeof h);
    k<<<16, 64>>>(a, b);
    cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost);
    double s = 0; for (int i = 0; i < 4096; ++i) s += h[i] * (i % 5); printf("%.1f\n", s);
}
