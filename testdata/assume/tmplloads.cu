// edit: k<4> -> k<8>
// way: stage-loads compute-first
#include <cstdio>
template <int N> __global__ void k(const float *__restrict__ in, float *__restrict__ out) {
    __shared__ float s[64 * N];
    for (int i = 0; i < N; i++) s[threadIdx.x + i * 64] = in[blockIdx.x * 64 * N + threadIdx.x + i * 64] * 2.f;
    __syncthreads();
    for (int i = threadIdx.x; i < 64 * N; i += 64) out[blockIdx.x * 64 * N + i] = s[64 * N - 1 - i];
}
int main() {
    static float h[4096]; float *a, *b;
    for (int i = 0; i < 4096; ++i) h[i] = i % 97;
    cudaMalloc(&a, sizeof h); cudaMalloc(&b, sizeof h); cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice); cudaMemset(b, 0, sizeof h);
    k<4><<<4, 64>>>(a, b);
    cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost);
    double s = 0; for (int i = 0; i < 4096; ++i) s += h[i] * (i % 5); printf("%.1f\n", s);
}
