// Values of a block change places inside of functions, and within each warp.
//
// Usage: inside [thread blocks]
#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

const int THREADS = 64;

__device__ void exchange(float2 *s, float2 (&v)[2], int to)
{
    for (int k = 0; k < 2; ++k) s[2 * to + k] = v[k];
    __syncthreads();
    for (int k = 0; k < 2; ++k) v[k] = s[THREADS * k + threadIdx.x];
}

__device__ float2 turned(float2 v, int t)
{
    __shared__ float2 whole[THREADS];
    whole[t] = v;
    __syncthreads();
    return whole[THREADS - 1 - t];
}

__global__ void move(float2 *data, int times)
{
    __shared__ float2 s[2 * THREADS];
    __shared__ float2 near[THREADS];
    const int t = threadIdx.x;
    const int base = blockIdx.x * 2 * THREADS;
    float2 v[2];
    for (int k = 0; k < 2; ++k) v[k] = data[base + THREADS * k + t];
    v[0] = turned(v[0], t);
    for (int i = 0; i < times; ++i) {
        exchange(s, v, t);
        __syncthreads();
        exchange(s, v, THREADS - 1 - t);
        near[t] = v[1];
        __syncwarp();
        const float2 other = near[t ^ 1];
        __syncwarp();
        v[1].x += other.y;
        v[1].y -= other.x;
        __syncthreads();
    }
    for (int k = 0; k < 2; ++k) data[base + THREADS * k + t] = v[k];
}

int main(int argc, char **argv)
{
    const int blocks = argc > 1 ? atoi(argv[1]) : 3;
    const int n = blocks * 2 * THREADS;
    float2 *data;
    cudaMallocManaged(&data, n * sizeof *data);
    for (int i = 0; i < n; ++i) data[i] = make_float2(i, 3 * i + 1);
    move<<<blocks, THREADS>>>(data, 3);
    cudaDeviceSynchronize();
    unsigned long long sum = 0;
    for (int i = 0; i < n; ++i) sum = sum * 31 + (long long)data[i].x * 7 + (long long)data[i].y;
    printf("%016llx\n", sum);
    cudaFree(data);
    return 0;
}
