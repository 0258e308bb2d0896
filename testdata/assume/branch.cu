// edit: define WIDE -> define NARROW
// way: stage-loads compute-first
#include <cstdio>
#define WIDE
#ifdef WIDE
__device__ float near(const float *s, int t) { return s[63 - t] + s[t]; }
#else
__device__ float near(float *s, int t) {
    const float x = s[63 - t];
    __syncthreads();
    s[t] = x * 3;
    __syncthreads();
    return s[63 - t];
}
#endif
__global__ void k(const float *in, float *out) {
    __shared__ float s[64];
    const int t = threadIdx.x;
    s[t] = in[blockIdx.x * 64 + t];
    __syncthreads();
    float x = near(s, t);
    for (int i = 0; i < 20; ++i) x = x * 1.5f + in[i];
    out[blockIdx.x * 64 + t] = x;
}
int main() {
    static float h[4096]; float *a, *b;
    for (int i = 0; i < 4096; ++i) h[i] = i % 97;
    cudaMalloc(&a, sizeof h); cudaMalloc(&b, sizeof h); cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice); cudaMemset(b, 0, sizeof h);
    k<<<16, 64>>>(a, b);
    cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost);
    double s = 0; for (int i = 0; i < 4096; ++i) s += h[i] * (i % 5); printf("%.1f\n", s);
}
