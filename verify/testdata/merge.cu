// Blocks of three dimensions in a grid of three, odd in each: static and dynamic shared memory, a
// scalar and a structure, in a template; and blocks that are no whole warps, without any.
#include <cstdio>
#include <cuda_runtime.h>

struct range {
    float low, high;
};

template <typename T, int W>
__global__ void spread(const T *in, T *out, int n)
{
    extern __shared__ unsigned char raw[];
    __shared__ T tile[2][8][W + 1], sum;
    __shared__ range all;
    T *extra = reinterpret_cast<T *>(raw);
    const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    const int b = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    const int i = ((b * 2 + z) * 8 + y) * W + x;
    tile[z][y][x] = in[i];
    extra[(z * 8 + y) * W + x] = in[i] * 2;
    if (x + y + z == 0) {
        sum = 0;
        all.low = all.high = 0;
    }
    __syncthreads();
    if (threadIdx.x < 3) atomicAdd(&sum, tile[z][y][x]);
    if (x == 0 && z == 1 && y == 3) all.low = tile[0][y][1];
    __syncthreads();
    if (i < n) out[i] = sum + all.low + tile[1 - z][y][W - 1 - x] + extra[(z * 8 + 7 - y) * W + x] + gridDim.y;
}

__global__ void plain(float *a, int n)
{
    const int i = (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    a[i] += blockIdx.y + gridDim.y * 3;
}

int main()
{
    const dim3 grid(3, 5, 3);
    const int n = 45 * 2 * 8 * 8;
    float *in, *out;
    static float h[n];
    for (int i = 0; i < n; ++i) h[i] = i % 17;
    cudaMalloc(&in, n * 4);
    cudaMalloc(&out, n * 4);
    cudaMemcpy(in, h, n * 4, cudaMemcpyHostToDevice);
    cudaMemset(out, 0, n * 4);
    spread<float, 8><<<grid, dim3(8, 8, 2), 128 * sizeof(float)>>>(in, out, n - 13);
    plain<<<dim3(5, 11), 48>>>(out, 2500);
    cudaMemcpy(h, out, n * 4, cudaMemcpyDeviceToHost);
    double s = 0;
    for (int i = 0; i < n; ++i) s += h[i] * (i % 31);
    printf("%f\n", s);
}
