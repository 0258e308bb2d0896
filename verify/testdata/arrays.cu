// Keys and values of a block change places, again and again.
//
// Usage: arrays [thread blocks]
#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

const int THREADS = 64;

__global__ void order(unsigned *keys, double *values, int times)
{
    __shared__ unsigned key[THREADS];
    __shared__ double value[THREADS];
    const int t = threadIdx.x;
    const int base = blockIdx.x * THREADS;
    unsigned k = keys[base + t];
    double v = values[base + t];
    for (int i = 0; i < times; ++i) {
        const int at = t * 37 % THREADS;
        key[at] = k;
        value[at] = v + k;
        __syncthreads();
        k = key[t] + 1;
        v = value[t];
        __syncthreads();
    }
    keys[base + t] = k;
    values[base + t] = v;
}

int main(int argc, char **argv)
{
    const int blocks = argc > 1 ? atoi(argv[1]) : 3;
    const int n = blocks * THREADS;
    unsigned *keys;
    double *values;
    cudaMallocManaged(&keys, n * sizeof *keys);
    cudaMallocManaged(&values, n * sizeof *values);
    for (int i = 0; i < n; ++i) {
        keys[i] = i * 2654435761u;
        values[i] = i * 0.25;
    }
    order<<<blocks, THREADS>>>(keys, values, 3);
    cudaDeviceSynchronize();
    unsigned long long sum = 0;
    for (int i = 0; i < n; ++i) sum = sum * 31 + keys[i] + (unsigned long long)(values[i] * 4);
    printf("%016llx\n", sum);
    cudaFree(keys);
    cudaFree(values);
    return 0;
}
