// Blocks of 8x4x2 threads in a grid of three dimensions. Merged blocks are stacked along z, where
// this one has a depth of its own.
//
// Usage: cube ACROSS DOWN DEEP

#include <cstdio>
#include <cstdlib>
#include <vector>

#define NX 8
#define NY 4
#define NZ 2

// Turns each cell around and adds its middle.
__global__ void turn(const float *in, float *out)
{
    __shared__ float cell[NZ][NY][NX];

    const int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    const int i = ((block * NZ + threadIdx.z) * NY + threadIdx.y) * NX + threadIdx.x;
    cell[threadIdx.z][threadIdx.y][threadIdx.x] = in[i];
    __syncthreads();
    const float turned = cell[NZ - 1 - threadIdx.z][NY - 1 - threadIdx.y][NX - 1 - threadIdx.x];
    const float middle = cell[NZ / 2][NY / 2][NX / 2];
    out[i] = turned + middle + blockDim.z;
}

int main(int argc, char **argv)
{
    const dim3 grid(argc > 1 ? atoi(argv[1]) : 3, argc > 2 ? atoi(argv[2]) : 2,
                    argc > 3 ? atoi(argv[3]) : 3);
    const int n = grid.x * grid.y * grid.z * NX * NY * NZ;

    std::vector<float> host(n);
    for (int i = 0; i < n; ++i) host[i] = (float)(i * 13 % 257);
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemcpy(in, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    turn<<<grid, dim3(NX, NY, NZ)>>>(in, out);
    cudaMemcpy(host.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g %g\n", host[0], host[n - 1]);
    return 0;
}
