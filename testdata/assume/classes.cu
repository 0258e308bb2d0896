// define: COUNTED=1
// A class that a macro chooses, and a macro with an effect: what their operators do is not the kernel's text.
#include <cstdio>
#ifndef COUNTED
#define COUNTED 0
#endif
struct plain { int n; __device__ int operator+(int d) const { return n + d; } };
struct counting { int n; __device__ int operator+(int d) { return (n++ & 1) + d; } };
#if COUNTED
typedef counting number;
#define NEXT(v) v++
#else
typedef plain number;
#define NEXT(v) v
#endif
struct holder { number at; };
__global__ void k(const float *in, float *out) {
    __shared__ float s[8][64];
    const int t = threadIdx.x;
    holder h = {{1}};
    for (int i = 0; i < 8; ++i) s[i][t] = in[(blockIdx.x * 8 + i) * 64 + t];
    __syncthreads();
    int at = 2;
    float sum = s[h.at + 1][63 - t] + s[NEXT(at)][t];
    sum += s[h.at + 0][t] + s[NEXT(at)][63 - t];
    out[blockIdx.x * 64 + t] = sum;
}
int main() {
    static float h[8192]; float *a, *b;
    for (int i = 0; i < 8192; ++i) h[i] = i % 97;
    cudaMalloc(&a, sizeof h); cudaMalloc(&b, sizeof h); cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice); cudaMemset(b, 0, sizeof h);
    k<<<16, 64>>>(a, b);
    cudaMemcpy(h, b, 4096, cudaMemcpyDeviceToHost);
    double s = 0; for (int i = 0; i < 1024; ++i) s += h[i] * (i % 5); printf("%.1f\n", s);
}
