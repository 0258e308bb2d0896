__global__ void product(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int m, int n, int l)
{
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m || col >= l) {
        return;
    }
    float sum = 0;
    for (int k = 0; k < n; ++k) {
        sum += a[row * n + k] * b[k * l + col];
    }
    c[row * l + col] = sum;
}

void run(const float *a, const float *b, float *c, int m, int n, int l)
{
    product<<<dim3((l + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(a, b, c, m, n, l);
}
