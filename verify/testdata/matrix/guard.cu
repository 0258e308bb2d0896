// Guards that every thread passes, since each launch has as many threads as full blocks of elements
// hold: around barriers, as returns that no thread takes, in a function, and in two dimensions.
//
// Usage: guard BLOCKS REST

#include <cstdio>
#include <cstdlib>
#include <vector>

#define WIDE 16
#define HIGH 8

__global__ void reverse(const float *in, float *out, int n)
{
    __shared__ float line[64];

    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        line[threadIdx.x] = in[i];
        __syncthreads();
        out[i] = line[63 - threadIdx.x];
    }
}

__global__ void differ(const float *in, float *out, int n)
{
    __shared__ float line[64];

    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = in[i];
    for (int r = 0; r < 2; ++r) {
        line[threadIdx.x] = v;
        __syncthreads();
        v -= line[(threadIdx.x + 1) % 64];
        __syncthreads();
    }
    out[i] = v;
}

__global__ void turn(const float *in, float *out, int columns, int rows)
{
    __shared__ float tile[HIGH][WIDE];

    const int x = blockIdx.x * WIDE + threadIdx.x, y = blockIdx.y * HIGH + threadIdx.y;
    if (x < columns && y < rows) {
        tile[threadIdx.y][threadIdx.x] = in[y * columns + x];
        __syncthreads();
        out[y * columns + x] = tile[HIGH - 1 - threadIdx.y][WIDE - 1 - threadIdx.x];
    }
}

__device__ float across(float *line, float v, int i, int n)
{
    if (i < n) {
        line[threadIdx.x] = v;
        __syncthreads();
        v = line[threadIdx.x ^ 32];
        __syncthreads();
    }
    return v;
}

__global__ void swap(const float *in, float *out, int n)
{
    __shared__ float line[64];

    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float v = across(line, in[i], i, n);
    out[i] = v - across(line, v * 2, i, n);
}

int main(int argc, char **argv)
{
    const int blocks = argc > 1 ? atoi(argv[1]) : 3;
    const int rest = argc > 2 ? atoi(argv[2]) : 5;
    const int n = blocks * 64 + rest, columns = WIDE * blocks + rest, rows = HIGH * 3;

    std::vector<float> host(columns * rows + n);
    for (size_t i = 0; i < host.size(); ++i) host[i] = (float)(i * 7 % 61);
    float *in, *out;
    cudaMalloc(&in, host.size() * sizeof(float));
    cudaMalloc(&out, host.size() * sizeof(float));
    cudaMemset(out, 0, host.size() * sizeof(float));
    cudaMemcpy(in, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice);
    reverse<<<n / 64, 64>>>(in, out, n);
    cudaMemcpy(host.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g %g\n", host[0], host[n - rest - 1]);
    differ<<<n / 64, 64>>>(in, out, n);
    cudaMemcpy(host.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g %g\n", host[0], host[n - rest - 1]);
    swap<<<n / 64, 64>>>(in, out, n);
    cudaMemcpy(host.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g %g\n", host[0], host[n - rest - 1]);
    dim3 block(WIDE, HIGH), grid(columns / WIDE, rows / HIGH);
    turn<<<grid, block>>>(in, out, columns, rows);
    cudaMemcpy(host.data(), out, columns * rows * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g %g\n", host[0], host[columns * rows - rest - 1]);
    return 0;
}
