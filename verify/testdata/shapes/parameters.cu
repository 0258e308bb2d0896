// ways: vtb named, vtb lock, vtb block, dyn lock, merge named
// Shared arrays that functions take as arrays, whole or in part, and a launch in a try block.
#include <cstdio>
#include <stdexcept>

__device__ void load(float s[][16][17], const float *in, int n) {
    for (int i = 0; i < n; i++) s[i][threadIdx.y][threadIdx.x] = in[(i * 16 + threadIdx.y) * 16 + threadIdx.x];
}
__device__ float turned(const float s[16][17]) { return s[threadIdx.x][threadIdx.y]; }
__device__ void shift(float row[], float by) { row[threadIdx.x] += by; }

__global__ void turn(const float *in, float *out) {
    __shared__ float s[3][16][17];
    const int t = threadIdx.y * 16 + threadIdx.x;
    float v = 0;
    load(s, in + blockIdx.x * 256, 3);
    __syncthreads();
    for (int i = 0; i < 3; i++) v += turned(s[i]) * (i + 1);
    __syncthreads();
    load(&s[1], in + blockIdx.x * 128, 2);
    __syncthreads();
    shift(s[2][threadIdx.y], v);
    __syncthreads();
    out[blockIdx.x * 256 + t] = turned(s[2]) - turned(s[1]);
}

int main() {
    const int blocks = 5, n = (blocks + 2) * 256;
    static float h[n];
    for (int i = 0; i < n; i++) h[i] = i * 7 % 113;
    float *in, *out;
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&out, sizeof h);
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    try {
        dim3 threads(16, 16);
        turn<<<blocks, threads>>>(in, out);
        if (cudaGetLastError() != cudaSuccess) throw std::runtime_error("launch");
    } catch (const std::exception &e) {
        printf("%s\n", e.what());
    }
    cudaMemcpy(h, out, blocks * 256 * sizeof(float), cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < blocks * 256; i++) sum += h[i] * (i % 11);
    printf("%.0f\n", sum);
}
