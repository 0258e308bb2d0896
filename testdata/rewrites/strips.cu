__global__ void product(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int n)
{
    __shared__ float rows[16][16], cols[16][16];
    const int row = blockIdx.y * 16 + threadIdx.y;
    const int col = blockIdx.x * 16 + threadIdx.x;
    float sum = 0;
    for (int t = 0; t < n / 16; ++t) {
        rows[threadIdx.y][threadIdx.x] = a[row * n + t * 16 + threadIdx.x];
        cols[threadIdx.y][threadIdx.x] = b[(t * 16 + threadIdx.y) * n + col];
        __syncthreads();
        for (int k = 0; k < 16; ++k) {
            sum += rows[threadIdx.y][k] * cols[k][threadIdx.x];
        }
        __syncthreads();
    }
    c[row * n + col] = sum;
}

void run(const float *a, const float *b, float *c, int n)
{
    product<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(a, b, c, n);
}
