// Two kernels, which need not be rewritten alike: they differ in their block shapes, and call the
// same device function.
//
// Usage: two BLOCKS

#include <cstdio>
#include <cstdlib>
#include <vector>

__device__ float partner(const float *line, int lanes)
{
    return line[(threadIdx.x + lanes / 2) % lanes] + blockIdx.x;
}

__global__ void pairs(const float *in, float *out)
{
    __shared__ float line[64];

    const int i = blockIdx.x * 64 + threadIdx.x;
    line[threadIdx.x] = in[i];
    __syncthreads();
    out[i] = partner(line, 64);
}

__global__ void sums(const float *in, float *out, int rounds)
{
    __shared__ float rows[4][32];

    const int i = (blockIdx.x * 4 + threadIdx.y) * 32 + threadIdx.x;
    float sum = 0;
    for (int r = 0; r < rounds; ++r) {
        rows[threadIdx.y][threadIdx.x] = in[i] + r;
        __syncthreads();
        for (int y = 0; y < 4; ++y) sum += partner(rows[y], 32);
        __syncthreads();
    }
    out[i] = sum;
}

int main(int argc, char **argv)
{
    const int blocks = argc > 1 ? atoi(argv[1]) : 3;
    const int n = blocks * 128;

    std::vector<float> host(n);
    for (int i = 0; i < n; ++i) host[i] = (float)(i * 7 % 64);
    float *in, *middle, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&middle, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemcpy(in, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    pairs<<<2 * blocks, 64>>>(in, middle);
    sums<<<blocks, dim3(32, 4)>>>(middle, out, 3);
    cudaMemcpy(host.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g %g\n", host[0], host[n - 1]);
    return 0;
}
