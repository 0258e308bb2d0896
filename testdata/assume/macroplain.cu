// edit: #define R 2 -> #define R 3
// way: vtb named N=2 stage
#include <cstdio>
#define R 2

__global__ void conv(float *__restrict__ out, const float *__restrict__ in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s = 0;
    for (int d = -R; d <= R; d++) s += in[i + R + d] * (d + 2);
    out[i] = s;
}
int main(int argc, char **argv) {
    int n = 200 + argc; static float h[1024]; float *a, *b;
    for (int i = 0; i < 1024; ++i) h[i] = i % 13;
    cudaMalloc(&a, sizeof h); cudaMalloc(&b, sizeof h); cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice); cudaMemset(b, 0, sizeof h);
    conv<<<4, 64>>>(b, a, n);
    cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost);
    double s = 0; for (int i = 0; i < 1024; ++i) s += h[i] * (i % 5); printf("%.1f\n", s);
}
