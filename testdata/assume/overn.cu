// edit: const int n = 1024; -> const int n = 1001;
#include <cstdio>
__global__ void k(const float *in, float *out, int n) {
    __shared__ float s[64][4];
    __shared__ float r[64][4];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int c = 0; c < 4; ++c) s[threadIdx.x][c] = in[i] + c;
    __syncthreads();
    float v = 0;
    for (int c = 0; c < 4; ++c) v += s[63 - threadIdx.x][c];
    __syncthreads();
    for (int c = 0; c < 4; ++c) r[threadIdx.x][c] = v + in[i] * c;
    __syncthreads();
    for (int c = 0; c < 4; ++c) v += r[63 - threadIdx.x][c];
    __syncthreads();
    if (i < n) for (int c = 0; c < 4; ++c) s[threadIdx.x][c] = v + c;
    __syncthreads();
    for (int c = 0; c < 4; ++c) v += s[63 - threadIdx.x][c];
    out[i] = v;
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
