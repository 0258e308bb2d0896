// A matrix product in tiles, as a program that is measured: product SIZE REPEATS. With REPEATS 0
// nothing is computed, which tells what starting the program costs.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define TILE 16

__global__ void product(const float *a, const float *b, float *c, int n) {
    __shared__ float as[TILE][TILE], bs[TILE][TILE];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0;
    for (int t = 0; t < n; t += TILE) {
        as[y][x] = a[row * n + t + x];
        bs[y][x] = b[(t + y) * n + column];
        __syncthreads();
        for (int k = 0; k < TILE; ++k) sum += as[y][k] * bs[k][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

int main(int, char **argv) {
    const int n = atoi(argv[1]), repeats = atoi(argv[2]);
    std::vector<float> a(n * n), b(n * n), c(n * n);
    for (int i = 0; i < n * n; ++i) {
        a[i] = i * 7 % 13;
        b[i] = i * 5 % 11;
    }
    float *da, *db, *dc;
    cudaMalloc(&da, n * n * sizeof(float));
    cudaMalloc(&db, n * n * sizeof(float));
    cudaMalloc(&dc, n * n * sizeof(float));
    cudaMemcpy(da, a.data(), n * n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), n * n * sizeof(float), cudaMemcpyHostToDevice);
    for (int i = 0; i < repeats; ++i) product<<<dim3(n / TILE, n / TILE), dim3(TILE, TILE)>>>(da, db, dc, n);
    cudaMemcpy(c.data(), dc, n * n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%.0f\n", repeats ? c[n + 1] : 0);
    return 0;
}
