// edit: threads = 64; -> threads = 128;
#include <cstdio>
__global__ void k(const float4 *__restrict__ in, float *__restrict__ out) {
    __shared__ float4 s[64];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int t = threadIdx.x % 64;
    float4 v = in[i % 512];
    if (threadIdx.x < 64) s[t] = v;
    __syncthreads();
    v = s[t];
    out[i] = v.x + 2 * v.y + 3 * v.z + 4 * v.w + in[s[t].x > 0 ? 1 : 2].x;
}
int main() {
    const int threads = 64;
    static float h[4096]; float *a, *b;
    for (int i = 0; i < 4096; ++i) h[i] = i % 97;
    cudaMalloc(&a, sizeof h); cudaMalloc(&b, sizeof h); cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice); cudaMemset(b, 0, sizeof h);
    k<<<1024 / threads, threads>>>((float4 *)a, b);
    cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost);
    double s = 0; for (int i = 0; i < 4096; ++i) s += h[i] * (i % 5 + 1); printf("%.1f\n", s);
}
