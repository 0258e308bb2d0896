// Dynamic shared memory: an amount that is no multiple of 16, of which a kernel makes two arrays.
//
// Usage: dynamic BLOCKS ROUNDS

#include <cstdio>
#include <cstdlib>
#include <vector>

#define THREADS 32

// The weighted sums of neighbours, with a border on each side.
__global__ void smooth(const float *in, float *out, int rounds)
{
    extern __shared__ float memory[];
    float *weights = memory;
    float *line = memory + 3;

    const int i = blockIdx.x * THREADS + threadIdx.x;
    float v = in[i];
    for (int r = 0; r < rounds; ++r) {
        if (threadIdx.x < 3) weights[threadIdx.x] = 0.25f * (1 + threadIdx.x % 2) + r;
        if (threadIdx.x == 0) {
            line[0] = 0;
            line[THREADS + 1] = 1;
        }
        line[threadIdx.x + 1] = v;
        __syncthreads();
        float sum = 0;
        for (int k = 0; k < 3; ++k) sum += weights[k] * line[threadIdx.x + k];
        v = sum;
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
    smooth<<<blocks, THREADS, (THREADS + 5) * sizeof(float)>>>(in, out, rounds);
    cudaMemcpy(host.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g %g\n", host[0], host[n - 1]);
    return 0;
}
