// edit: b, a, c) -> a, a, c)
#include <cstdio>
__global__ void smooth(float *out, const float *in, float *rest) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = in[i] + in[i + 1] + in[i + 2];
    __syncthreads();
    out[i + 1] = s;
    __syncthreads();
    rest[i] = in[i] + in[i + 1] + in[i + 2];
}
int main() {
    static float h[256]; float *a, *b, *c;
    for (int i = 0; i < 256; ++i) h[i] = i % 97;
    cudaMalloc(&a, sizeof h); cudaMalloc(&b, sizeof h); cudaMalloc(&c, sizeof h); cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice); cudaMemset(b, 0, sizeof h); cudaMemset(c, 0, sizeof h);
    smooth<<<1, 64>>>(b, a, c);
    cudaMemcpy(h, c, sizeof h, cudaMemcpyDeviceToHost);
    double s = 0; for (int i = 0; i < 256; ++i) s += h[i] * (i % 5); printf("%.1f\n", s);
}
