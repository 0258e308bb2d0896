// The product of two square matrices, an element for each thread.
__global__ void product(const float *a, const float *b, float *out, int n) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || col >= n) return;
    float sum = 0;
    for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + col];
    out[row * n + col] = sum;
}

void run(const float *a, const float *b, float *out, int n) {
    dim3 block(16, 16), grid((n + 15) / 16, (n + 15) / 16);
    product<<<grid, block>>>(a, b, out, n);
}
