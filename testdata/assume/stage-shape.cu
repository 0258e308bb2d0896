// edit: threads = 64; -> threads = 128;
// way: stage async
#include <cstdio>
__global__ void blur(float *__restrict__ out, const float *__restrict__ in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 1 && i < n - 1) out[i] = in[i - 1] + in[i] + in[i + 1];
}
int main() {
    const int n = 1000, threads = 64; static float h[4096]; float *a, *b;
    for (int i = 0; i < 4096; ++i) h[i] = i % 97;
    cudaMalloc(&a, sizeof h); cudaMalloc(&b, sizeof h); cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice); cudaMemset(b, 0, sizeof h);
    blur<<<(n + threads - 1) / threads, threads>>>(b, a, n);
    cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost);
    double s = 0; for (int i = 0; i < 4096; ++i) s += h[i] * (i % 5); printf("%.1f\n", s);
}
