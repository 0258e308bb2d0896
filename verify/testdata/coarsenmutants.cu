// Kernels in which each copy of a thread block matters: no array is larger than what blocks read and write, and which threads
// leave has no order.
#include <cstdio>
#include <cstdlib>

// A guard that holds for any of the copies.
__global__ void product(const float *a, const float *b, float *out, int width) {
    int col = blockIdx.x * 8 + threadIdx.x;
    int row = blockIdx.y * 4 + threadIdx.y;
    if ((blockIdx.x * 2 + blockIdx.y + threadIdx.x) % 3 == 1) return;
    float sum = 0;
    for (int k = 0; k < 3; ++k) sum += a[row * 3 + k] * b[k * width + col];
    out[row * width + col] += sum + gridDim.x * 3 + gridDim.y;
}

// Tiles in shared memory, of which every element is written out.
__global__ void tiled(const float *a, const float *b, float *out, int width) {
    __shared__ float ta[4][8], tb[4][8];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 4 + ty, col = blockIdx.x * 8 + tx;
    float sum = 1;
    ta[ty][tx] = a[row * 8 + tx];
    tb[ty][tx] = b[ty * width + col];
    __syncthreads();
    for (int k = 0; k < 4; ++k) sum += ta[ty][k] * tb[k][tx];
    out[row * width + col] = sum;
}

// What some copies do alone, with an array of a thread.
__global__ void chosen(const float *a, float *out, float *counts, int width) {
    const int col = blockIdx.x * 8 + threadIdx.x, row = blockIdx.y * 4 + threadIdx.y;
    float near[2] = {0};
    if ((row / 4 + blockIdx.x) % 2 == 0) near[0] = a[row * width + col];
    if ((col + blockIdx.y) % 3 == 0) {
        near[1] = 3;
        out[row * width + col] = near[0] - a[row * width + col] * near[1];
    }
    if (near[0] < 4) atomicAdd(counts + row, 1.0f);
}

int main(int argc, char **args) {
    const int columns = atoi(args[1]), rows = atoi(args[2]), most = 2048;
    const int width = columns * 8, height = rows * 4, size = width * height, all = size + height;
    static float a[most], out[3][most];
    for (int i = 0; i < most; ++i) {
        a[i] = i * 7 % 13 + 1;
        for (int k = 0; k < 3; ++k) out[k][i] = i + k;
    }
    float *wide, *high, *in, *results[3];
    cudaMalloc(&wide, width * 4 * sizeof(float));
    cudaMalloc(&high, height * 8 * sizeof(float));
    cudaMalloc(&in, size * sizeof(float));
    cudaMemcpy(wide, a, width * 4 * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(high, a, height * 8 * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(in, a, size * sizeof(float), cudaMemcpyHostToDevice);
    for (int k = 0; k < 3; ++k) {
        cudaMalloc(&results[k], all * sizeof(float));
        cudaMemcpy(results[k], out[k], all * sizeof(float), cudaMemcpyHostToDevice);
    }
    dim3 block(8, 4), grid(columns, rows);
    product<<<grid, block>>>(high, wide, results[0], width);
    tiled<<<grid, block>>>(high, wide, results[1], width);
    chosen<<<grid, block>>>(in, results[2], results[2] + size, width);
    for (int k = 0; k < 3; ++k) cudaMemcpy(out[k], results[k], all * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g %g %g\n", out[0][3], out[1][3], out[2][0]);
}
