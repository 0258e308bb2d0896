// Blocks of 20x3 threads on a plane of blocks, with two shared arrays and a shared structure.
//
// Usage: plane ACROSS DOWN

#include <cstdio>
#include <cstdlib>
#include <vector>

#define COLS 20
#define ROWS 3

struct Extent {
    int low, high;
};

// Brings the numbers of each tile to 0 ... high - low, upside down.
__global__ void level(const int *in, int *out, int width)
{
    __shared__ int tile[ROWS][COLS];
    __shared__ int sums[ROWS];
    __shared__ Extent extent;

    const int x = blockIdx.x * COLS + threadIdx.x;
    const int y = blockIdx.y * ROWS + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * width + x];
    __syncthreads();
    if (threadIdx.x == 0) {
        int sum = 0;
        for (int i = 0; i < COLS; ++i) sum += tile[threadIdx.y][i];
        sums[threadIdx.y] = sum;
    }
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y == 0) {
        extent.low = min(sums[0], min(sums[1], sums[2]));
        extent.high = max(sums[0], max(sums[1], sums[2]));
    }
    __syncthreads();
    const int from = tile[ROWS - 1 - threadIdx.y][COLS - 1 - threadIdx.x];
    out[y * width + x] = from * (extent.high - extent.low) + gridDim.x;
}

int main(int argc, char **argv)
{
    const dim3 grid(argc > 1 ? atoi(argv[1]) : 3, argc > 2 ? atoi(argv[2]) : 2);
    const int width = grid.x * COLS;
    const int n = width * grid.y * ROWS;

    std::vector<int> host(n);
    for (int i = 0; i < n; ++i) host[i] = i * 31 % 101;
    int *in, *out;
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&out, n * sizeof(int));
    cudaMemcpy(in, host.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    level<<<grid, dim3(COLS, ROWS)>>>(in, out, width);
    cudaMemcpy(host.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d %d\n", host[0], host[n - 1]);
    return 0;
}
