// Each thread block sums tiles; blocks without work leave at once.
//
// Usage: groups [thread blocks]
#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

const int THREADS = 64;

__global__ void sums(const int *in, int *out, int tiles, int blocks)
{
    __shared__ int tile[THREADS];
    const int t = threadIdx.x;
    int sum = 0;
    for (int i = 0; i < tiles; ++i) {
        tile[t] = in[(blockIdx.x * tiles + i) * THREADS + t];
        __syncthreads();
        for (int k = 0; k < 4; ++k) sum += tile[(t + 7 * k) % THREADS] * (k + blockIdx.x);
        __syncthreads();
    }
    if (t % 3 == 1) return;
    out[blockIdx.x * THREADS + t] = sum + gridDim.x;
}

int main(int argc, char **argv)
{
    const int blocks = argc > 1 ? atoi(argv[1]) : 301, tiles = 2;
    const int n = blocks * THREADS;
    int *in, *out;
    cudaMallocManaged(&in, n * tiles * sizeof *in);
    cudaMallocManaged(&out, n * sizeof *out);
    for (int i = 0; i < n * tiles; ++i) in[i] = (i * 2654435761u) >> 20;
    for (int i = 0; i < n; ++i) out[i] = -1;
    sums<<<blocks, THREADS>>>(in, out, tiles, blocks);
    cudaDeviceSynchronize();
    unsigned long long sum = 0;
    for (int i = 0; i < n; ++i) sum = sum * 31 + out[i];
    printf("%016llx\n", sum);
    cudaFree(in);
    cudaFree(out);
    return 0;
}
