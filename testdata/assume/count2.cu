// edit: threads = 64; -> threads = 32;
#include <cstdio>
__global__ void k(const float *__restrict__ in, float *__restrict__ out) {
    __shared__ float s[256];
    const int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
#pragma unroll
    for (int j = 0; j < 256 / blockDim.x; ++j) s[t + j * blockDim.x] = in[t + j * blockDim.x + blockIdx.x];
    __syncthreads();
    float v = 0;
    for (int j = 0; j < 256 / blockDim.x; ++j) v += s[255 - t - j * blockDim.x];
    out[i] = v;
}
int main() {
    const int threads = 64;
    static float h[4096]; float *a, *b;
    for (int i = 0; i < 4096; ++i) h[i] = i % 97;
    cudaMalloc(&a, sizeof h); cudaMalloc(&b, sizeof h); cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice); cudaMemset(b, 0, sizeof h);
    k<<<1024 / threads, threads>>>(a, b);
    cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost);
    double s = 0; for (int i = 0; i < 4096; ++i) s += h[i] * (i % 5 + 1); printf("%.1f\n", s);
}
