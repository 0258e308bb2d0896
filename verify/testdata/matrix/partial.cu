// Blocks of 48 threads, a warp and a half: the second warp of one belongs to the next one, too, as
// soon as blocks are merged.
//
// Usage: partial BLOCKS ROUNDS

#include <cstdio>
#include <cstdlib>
#include <vector>

#define THREADS 48

__global__ void fold(const float *in, float *out, int rounds)
{
    __shared__ float line[THREADS];

    const int i = blockIdx.x * THREADS + threadIdx.x;
    float v = in[i];
    for (int r = 0; r < rounds; ++r) {
        line[threadIdx.x] = v + r;
        __syncthreads();
        v += 0.5f * line[THREADS - 1 - threadIdx.x];
        __syncthreads();
    }
    out[i] = v;
}

int main(int argc, char **argv)
{
    const int blocks = argc > 1 ? atoi(argv[1]) : 3;
    const int rounds = argc > 2 ? atoi(argv[2]) : 2;
    const int n = blocks * THREADS;

    std::vector<float> host(n);
    for (int i = 0; i < n; ++i) host[i] = (float)(i * 7 % 64);
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemcpy(in, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    fold<<<blocks, THREADS>>>(in, out, rounds);
    cudaMemcpy(host.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g %g\n", host[0], host[n - 1]);
    return 0;
}
