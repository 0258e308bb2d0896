// A row of a matrix times a vector per thread.

__global__ void multiply(const float *matrix, const float *vector, float *__restrict__ product, int n) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    product[row] = 0;
    for (int k = 0; k < n; ++k) product[row] += matrix[k * n + row] * vector[k];
}

void run(const float *matrix, const float *vector, float *product, int n) {
    multiply<<<n / 128, 128>>>(matrix, vector, product, n);
}
