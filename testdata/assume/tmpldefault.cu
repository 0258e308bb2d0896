// edit: mv<4096> -> mv<37> ;; 4096, 256 -> 1, 256 ;; cudaMalloc(&a, 128 * 128 * 4) -> cudaMalloc(&a, 256 * 37 * 4) ;; X = 64; -> X = 37; ;; cudaMalloc(&y, 128 * 4) -> cudaMalloc(&y, 256 * 4) ;; cudaMemcpy(a, h, 128 * 128 * 4, cudaMemcpyHostToDevice) -> cudaMemcpy(a, h, 256 * 37 * 4, cudaMemcpyHostToDevice)
// way: stage scheme=transpose
#include <cstdio>
template <int N> __global__ void mv(const float *__restrict__ a, const float *__restrict__ x, float *__restrict__ y) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < N; ++k) sum += a[row * N + k] * x[k];
    y[row] = sum;
}
int main() {
    const int X = 64; static float h[16384]; float *a, *x, *y;
    for (int i = 0; i < 16384; ++i) h[i] = i % 13;
    cudaMalloc(&a, 128 * 128 * 4); cudaMalloc(&x, X * 4); cudaMalloc(&y, 128 * 4); cudaMemcpy(a, h, 128 * 128 * 4, cudaMemcpyHostToDevice); cudaMemcpy(x, h, X * 4, cudaMemcpyHostToDevice); cudaMemset(y, 0, 128 * 4);
    mv<4096><<<4096, 256>>>(a, x, y);
    cudaMemcpy(h, y, 128 * 4, cudaMemcpyDeviceToHost);
    double s = 0; for (int i = 0; i < 128; ++i) s += h[i] * (i % 5); printf("%.1f\n", s);
}
