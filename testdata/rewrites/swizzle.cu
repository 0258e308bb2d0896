// The product of two matrices of n x n elements, a tile of 16 x 16 per thread block.

__global__ void product(const float *a, const float *b, float *c, int n) {
    __shared__ float as[16][16], bs[16][16];
    const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k += 16) {
        as[threadIdx.y][threadIdx.x] = a[y * n + k + threadIdx.x];
        bs[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + x];
        __syncthreads();
        for (int i = 0; i < 16; i++) sum += as[threadIdx.y][i] * bs[i][threadIdx.x];
        __syncthreads();
    }
    c[y * n + x] = sum;
}

void run(const float *a, const float *b, float *c, int n) {
    product<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(a, b, c, n);
}
