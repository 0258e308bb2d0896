// Adds up the rows of a block's cells; blocks have different numbers of them.

__global__ void cells(const int *counts, const float *in, float *out) {
    __shared__ float row[64];
    float sum = 0;
    for (int c = 0; c < counts[blockIdx.x]; ++c) {
        row[threadIdx.x] = in[(blockIdx.x * 100 + c) * 64 + threadIdx.x];
        __syncthreads();
        sum += row[63 - threadIdx.x] * row[threadIdx.x ^ 1];
        __syncthreads();
        sum = sum / (1 + sum * sum);
    }
    out[blockIdx.x * 64 + threadIdx.x] = sum;
}

void run(const int *counts, const float *in, float *out, int n) {
    cells<<<n, 64>>>(counts, in, out);
}
