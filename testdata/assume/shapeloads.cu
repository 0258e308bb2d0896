// edit: threads = 64; -> threads = 32;
// way: stage-loads compute-first
#include <cstdio>
__global__ void k(const float *__restrict__ in, float *__restrict__ out) {
    __shared__ float s[256];
    for (int i = 0; i < 256 / blockDim.x; i++) s[threadIdx.x + i * blockDim.x] = in[blockIdx.x * 256 + threadIdx.x + i * blockDim.x] * 2.f;
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x) out[blockIdx.x * 256 + i] = s[255 - i];
}
int main() {
    const int threads = 64; static float h[1024]; float *a, *b;
    for (int i = 0; i < 1024; ++i) h[i] = i % 97;
    cudaMalloc(&a, sizeof h); cudaMalloc(&b, sizeof h); cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice); cudaMemset(b, 0, sizeof h);
    k<<<4, threads>>>(a, b);
    cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost);
    double s = 0; for (int i = 0; i < 1024; ++i) s += h[i] * (i % 5); printf("%.1f\n", s);
}
