// Each thread block turns rows of a tile round; nothing follows the last read of the tile.
//
// Usage: grouprows [thread blocks]
#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

const int ROWS = 4, THREADS = 64;

__global__ void turned(const int *in, int *out)
{
    __shared__ int tile[ROWS][THREADS];
    const int t = threadIdx.x;
    for (int r = 0; r < ROWS; ++r) tile[r][t] = in[(blockIdx.x * ROWS + r) * THREADS + t];
    __syncthreads();
    int sum = 0;
    for (int r = 0; r < ROWS; ++r) sum = sum * 3 + tile[r][(t + 17 * (r + 1)) % THREADS];
    if (sum % 5 == 0) return;
    out[blockIdx.x * THREADS + t] = sum;
}

int main(int argc, char **argv)
{
    const int blocks = argc > 1 ? atoi(argv[1]) : 301;
    const int n = blocks * THREADS;
    int *in, *out;
    cudaMallocManaged(&in, n * ROWS * sizeof *in);
    cudaMallocManaged(&out, n * sizeof *out);
    for (int i = 0; i < n * ROWS; ++i) in[i] = (i * 2654435761u) >> 20;
    for (int i = 0; i < n; ++i) out[i] = -1;
    turned<<<blocks, THREADS>>>(in, out);
    cudaDeviceSynchronize();
    unsigned long long sum = 0;
    for (int i = 0; i < n; ++i) sum = sum * 31 + out[i];
    printf("%016llx\n", sum);
    cudaFree(in);
    cudaFree(out);
    return 0;
}
