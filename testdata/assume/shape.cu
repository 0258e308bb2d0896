// edit: const int threads = 64 -> const int threads = 128
#include <cstdio>
__global__ void turn(const float *in, float *out) {
    __shared__ float s[256];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    s[threadIdx.x] = in[i];
    __syncthreads();
    out[i] = s[blockDim.x - 1 - threadIdx.x] + in[i];
}
int main() {
    const int threads = 64; static float h[1024]; float *a, *b;
    for (int i = 0; i < 1024; ++i) h[i] = i % 97;
    cudaMalloc(&a, sizeof h); cudaMalloc(&b, sizeof h); cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    turn<<<1024 / threads, threads>>>(a, b);
    cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost);
    double s = 0; for (int i = 0; i < 1024; ++i) s += h[i] * (i % 5); printf("%.1f\n", s);
}
