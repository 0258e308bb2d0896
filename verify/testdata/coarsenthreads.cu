// What threads of a block share and what each has for itself, where a mistake shows in the results. The arguments are the
// extents of the blocks along x and y.
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>

namespace cg = cooperative_groups;
#define TIMES(a, b) ((a) * (b))

// A sum in shared memory, whose steps follow from the block's extent.
__global__ void total(const int *in, int *out, int n) {
    extern __shared__ int s[];
    const int t = threadIdx.x;
    int i = TIMES(blockIdx.x, blockDim.x) + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int rest = blockDim.x; rest > 1; rest = (rest + 1) / 2) {
        if (t < rest / 2) s[t] += s[t + (rest + 1) / 2];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] += s[0];
}

// Steps as wide as the grid, some of which are left out, and a place that an atomic gives.
__global__ void strided(const int *in, int *out, unsigned *places, int n) {
    int local[3] = {0};
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        if (in[i] % 3 == 0) continue;
        local[i % 3] += in[i] * 3;
        unsigned at = atomicAdd(&places[in[i] % 4], 1u);
        atomicAdd(out + in[i] % 4, (int)at);
    }
    atomicAdd(out + 4 + threadIdx.x % 2, local[0] - local[1] * 2 + local[2]);
}

// Threads that return before a barrier, and what a thread does alone.
__global__ void early(const int *in, int *out, int n) {
    __shared__ int last, row[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    row[threadIdx.x] = in[i];
    if (threadIdx.x == blockDim.x - 1 || i == n - 1) last = threadIdx.x;
    __syncthreads();
    for (int k = 0; k < 3; ++k) {
        int v = row[last - threadIdx.x];
        __syncthreads();
        row[threadIdx.x] = v + in[k];
        __syncthreads();
    }
    out[i] += row[threadIdx.x] + row[0];
}

// Rows and columns of a block, in functions that are given their place.
__device__ void put(int *s, int at, int v) { s[at] = v; }
__device__ int rest(int a, unsigned width) { return a - width; }
template <int MORE>
__global__ void square(const int *in, int *out) {
    cg::thread_block all = cg::this_thread_block();
    __shared__ int tile[4][256];
    unsigned x = threadIdx.x, y = threadIdx.y, width = blockDim.x;
    put(tile[y], x, in[y * width + x] + MORE);
    cg::sync(all);
    int sum = 0;
    for (unsigned k = 0; k < width; ++k) sum += tile[y][k] * in[k];
    for (unsigned k = 0; k < blockDim.y; ++k) sum += tile[k][x] * in[k + 1];
    all.sync();
    if (y == 0 && x < 2) tile[0][x] = rest(sum, blockDim.x);
    __threadfence_block();
    all.sync();
    out[(blockIdx.x * blockDim.y + y) * blockDim.x + x] += sum + tile[0][0];
}

int main(int argc, char **args) {
    const int width = argc > 1 ? atoi(args[1]) : 20, height = argc > 2 ? atoi(args[2]) : 2, blocks = 3, n = blocks * width - 1 + width % 2, size = 4096;
    static int in[size], out[4][size];
    for (int i = 0; i < size; ++i) {
        in[i] = i * 7 % 13 + 1;
        for (int k = 0; k < 4; ++k) out[k][i] = i + k;
    }
    int *din, *dout[4];
    unsigned *places;
    cudaMalloc(&din, sizeof in);
    cudaMemcpy(din, in, sizeof in, cudaMemcpyHostToDevice);
    cudaMalloc(&places, 4 * sizeof(unsigned));
    cudaMemset(places, 0, 4 * sizeof(unsigned));
    for (int k = 0; k < 4; ++k) {
        cudaMalloc(&dout[k], sizeof out[k]);
        cudaMemcpy(dout[k], out[k], sizeof out[k], cudaMemcpyHostToDevice);
    }
    dim3 block(width, height);
    total<<<(n + width - 1) / width, width, width * sizeof(int)>>>(din, dout[0], n);
    strided<<<2, width>>>(din, dout[1], places, n);
    early<<<(n + width - 1) / width, width>>>(din, dout[2], n);
    square<3><<<blocks, block>>>(din, dout[3]);
    for (int k = 0; k < 4; ++k) cudaMemcpy(out[k], dout[k], sizeof out[k], cudaMemcpyDeviceToHost);
    printf("%d %d %d %d\n", out[0][0], out[1][1], out[2][0], out[3][0]);
}
