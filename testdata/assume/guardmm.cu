// edit: const int n = 64 -> const int n = 60
// way: stage T=7 pad=3
#include <cstdio>
#include <vector>
__global__ void matmul(const float *a, const float *b, float *c, int n) {
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < n && col < n) {
        float s = 0.f;
        for (int k = 0; k < n; k++) s += a[row * n + k] * b[k * n + col];
        c[row * n + col] = s;
    }
}
int main() {
    const int n = 64;
    std::vector<float> a(n * n), b(n * n), c(n * n);
    for (int i = 0; i < n * n; ++i) { a[i] = i % 7; b[i] = i % 5; }
    float *da, *db, *dc;
    cudaMalloc(&da, n * n * 4); cudaMalloc(&db, n * n * 4); cudaMalloc(&dc, n * n * 4);
    cudaMemcpy(da, a.data(), n * n * 4, cudaMemcpyHostToDevice); cudaMemcpy(db, b.data(), n * n * 4, cudaMemcpyHostToDevice);
    matmul<<<dim3((n + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(da, db, dc, n);
    cudaMemcpy(c.data(), dc, n * n * 4, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < n; ++i) for (int j = 0; j < n; ++j) { float s = 0; for (int k = 0; k < n; ++k) s += a[i * n + k] * b[k * n + j]; bad += s != c[i * n + j]; }
    printf("bad %d\n", bad); return bad != 0;
}
