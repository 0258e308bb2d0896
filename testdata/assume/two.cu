// edit: t1 = 64, t2 = 128; -> t1 = 48, t2 = 40;
#include <cstdio>
// neighbours in shared memory without a barrier within a warp? two launches with other shapes
__global__ void k(const float *in, float *out, int n) {
    __shared__ float s[256];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    s[threadIdx.x] = in[i];
    __syncthreads();
    float v = s[blockDim.x - 1 - threadIdx.x];
    __syncthreads();
    s[threadIdx.x] = v + in[i];
    __syncthreads();
    out[i] = s[(threadIdx.x + 1) % blockDim.x];
}
int main() {
    const int n = 1920, t1 = 64, t2 = 128; static float h[4096]; float *a, *b;
    for (int i = 0; i < 4096; ++i) h[i] = i % 97;
    cudaMalloc(&a, sizeof h); cudaMalloc(&b, sizeof h); cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice); cudaMemset(b, 0, sizeof h);
    k<<<n / t1, t1>>>(a, b, n);
    k<<<n / t2, t2>>>(b, a, n);
    cudaMemcpy(h, a, sizeof h, cudaMemcpyDeviceToHost);
    double s = 0; for (int i = 0; i < 4096; ++i) s += h[i] * (i % 5); printf("%.1f\n", s);
}
