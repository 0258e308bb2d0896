// Kernels of grids of two and three dimensions, for thread blocks that do the work of several along two axes.
#include <cstdio>
#include <cstdlib>

// A guard on both coordinates, and elements that blocks in a row or a column share.
__global__ void product(const float *a, const float *b, float *out, int width, int height) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= height || col >= width) return;
    float sum = 0;
    for (int k = 0; k < 5; ++k) sum += a[row * 5 + k] * b[k * width + col];
    out[row * width + col] += sum + gridDim.x * 3 + gridDim.y;
}

// Tiles in shared memory: those of a row are shared along x, those of a column along y.
__global__ void tiled(const float *a, const float *b, float *out, int width, int height) {
    __shared__ float ta[4][8], tb[8][8];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 4 + ty, col = blockIdx.x * 8 + tx;
    float sum = 0;
    for (int t = 0; t < 16; t += 8) {
        ta[ty][tx] = row < height ? a[row * 16 + t + tx] : 0;
        tb[ty][tx] = col < width ? b[(t + ty) * width + col] : 0;
        tb[ty + 4][tx] = col < width ? b[(t + ty + 4) * width + col] : 0;
        __syncthreads();
        for (int k = 0; k < 8; ++k) sum += ta[ty][k] * tb[k][tx];
        __syncthreads();
    }
    if (row < height && col < width) out[row * width + col] = sum;
}

// Edges, which some copies have alone, with an array of a thread and the last element of a row and a column.
__global__ void edges(const float *a, float *out, int width, int height) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    float near[2] = {0};
    if (row < height && col < width) {
        if (col > 0) near[0] = a[row * width + col - 1];
        if (row > 0) near[1] = a[(row - 1) * width + col];
        out[row * width + col] = near[0] - 2 * near[1];
        if (blockIdx.x == gridDim.x - 1 && blockIdx.y == gridDim.y - 1) atomicAdd(out + width * height, 1.0f);
    }
}

// Planes of a grid of three dimensions.
__global__ void planes(const float *a, float *out, int width, int height, int depth) {
    __shared__ float line[8];
    const int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y, z = blockIdx.z;
    line[threadIdx.x] = x < width ? a[(z * height + y) * width + x] : 1;
    __syncthreads();
    if (x < width) out[(z * height + y) * width + x] = line[7 - threadIdx.x] * (z + 1) + y * gridDim.z;
}

int main(int argc, char **args) {
    const int columns = atoi(args[1]), rows = atoi(args[2]), size = 4096;
    const int width = columns * 8 - 3, height = rows * 4 - 1;
    static float a[size], b[size], out[4][size];
    for (int i = 0; i < size; ++i) {
        a[i] = i * 7 % 13 + 1;
        b[i] = i * 5 % 11 + 1;
    }
    float *da, *db, *dout;
    cudaMalloc(&da, sizeof a);
    cudaMalloc(&db, sizeof b);
    cudaMalloc(&dout, sizeof out);
    cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b, sizeof b, cudaMemcpyHostToDevice);
    cudaMemset(dout, 0, sizeof out);
    dim3 block(8, 4), grid(columns, rows);
    product<<<grid, block>>>(da, db, dout, width, height);
    tiled<<<grid, block>>>(da, db, dout + size, width, height);
    edges<<<dim3(columns, rows), block>>>(da, dout + 2 * size, width, height);
    planes<<<dim3(columns, rows, 3), 8>>>(da, dout + 3 * size, width, rows, 3);
    cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost);
    printf("%g %g\n", out[0][3], out[2][0]);
}
