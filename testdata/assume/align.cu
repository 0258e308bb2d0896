// edit: x, y, n) -> x + 1, y, n)
// way: stage vector=2
// way: stage vector=4
// way: stage scheme=table vector=4
#include <cstdio>
__global__ void sum(const float *__restrict__ x, float *__restrict__ y, int n) {
    float s = 0;
    for (int k = 0; k < n; k++) s += x[k];
    y[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
int main() {
    const int n = 256; static float h[4096]; float *x, *y;
    for (int i = 0; i < 4096; ++i) h[i] = i % 7;
    cudaMalloc(&x, sizeof h); cudaMalloc(&y, sizeof h); cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice); cudaMemset(y, 0, sizeof h);
    sum<<<4, 64>>>(x, y, n);
    cudaMemcpy(h, y, sizeof h, cudaMemcpyDeviceToHost);
    double s = 0; for (int i = 0; i < 4096; ++i) s += h[i] * (i % 5); printf("%.1f\n", s);
}
