// Sums and weighted sums of rows that other threads wrote, in one loop of any length.
//
// Usage: rows [thread blocks]
#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

const int THREADS = 64;
const int ROWS = 4;

__global__ void sums(const float *__restrict__ in, const unsigned char *__restrict__ order,
                     float *__restrict__ plain, float *__restrict__ weighted, int n, int times)
{
    __shared__ float rows[2 * ROWS][THREADS];
    const int t = threadIdx.x;
    const float *mine = in + blockIdx.x * 2 * ROWS * THREADS;
    for (int i = 0; i < times; ++i) {
#pragma unroll
        for (int e = 0; e < ROWS; ++e) {
            rows[e][t] = mine[e * THREADS + t] + i;
            rows[ROWS + e][t] = mine[(ROWS + e) * THREADS + t] * 2;
        }
        __syncthreads();
        const int to = (blockIdx.x * times + i) * THREADS + t;
        float sum = 0;
        for (int k = 0; k < n; ++k) {
            const int e = order[k];
            const int other = (t + 7 * k + i) % THREADS;
            sum += rows[e][other];
            weighted[to] += rows[ROWS + e][other] * (k + 1);
        }
        plain[to] = sum;
        __syncthreads();
    }
}

int main(int argc, char **argv)
{
    const int blocks = argc > 1 ? atoi(argv[1]) : 2;
    const int n = 5, times = 2, size = blocks * THREADS;
    float *in, *plain, *weighted;
    unsigned char *order;
    cudaMallocManaged(&in, 2 * ROWS * size * sizeof *in);
    cudaMallocManaged(&plain, times * size * sizeof *plain);
    cudaMallocManaged(&weighted, times * size * sizeof *weighted);
    cudaMallocManaged(&order, n);
    for (int i = 0; i < 2 * ROWS * size; ++i) in[i] = (i * 7919) % 1000;
    for (int i = 0; i < times * size; ++i) weighted[i] = i;
    for (int i = 0; i < n; ++i) order[i] = (3 * i + 1) % ROWS;
    sums<<<blocks, THREADS>>>(in, order, plain, weighted, n, times);
    cudaDeviceSynchronize();
    unsigned long long sum = 0;
    for (int i = 0; i < times * size; ++i) {
        sum = sum * 31 + (unsigned long long)plain[i];
        sum = sum * 31 + (unsigned long long)weighted[i];
    }
    printf("%016llx\n", sum);
    return 0;
}
