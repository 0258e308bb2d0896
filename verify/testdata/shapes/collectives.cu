// ways: merge block
// Collectives of CUB: each v-TB has its own storage, and all call them together.
#include <cstdio>

#include <cub/cub.cuh>

const int threads = 64;

template <typename T> struct Larger {
    __device__ T operator()(T a, T b) const { return a < b ? b : a; }
};

// A reduction and a scan whose storage is one, with a barrier in between.
__global__ void offsets(const int *in, int *out, int *totals) {
    typedef cub::BlockReduce<int, threads> Reduce;
    using Scan = cub::BlockScan<int, threads>;
    __shared__ union {
        typename Reduce::TempStorage reduce;
        Scan::TempStorage scan;
    } temp;
    __shared__ int most;
    const int i = blockIdx.x * threads + threadIdx.x;
    int most_here = Reduce(temp.reduce).Reduce(in[i], cub::Max());
    if (threadIdx.x == 0) most = most_here;
    __syncthreads();
    int before, all;
    Scan(temp.scan).ExclusiveSum(in[i], before, all);
    out[i] = before * most + all;
    __syncthreads();
    int sum = cub::BlockReduce<int, threads>(temp.reduce).Reduce(before ^ most, Larger<int>());
    if (threadIdx.x == 0) totals[blockIdx.x] = sum;
}

// Tiles in a loop, and a reduction of each warp.
__global__ void tiles(const int *in, int *out, int rounds) {
    typedef cub::BlockLoad<int, threads, 2, cub::BLOCK_LOAD_TRANSPOSE> Load;
    typedef cub::BlockStore<int, threads, 2, cub::BLOCK_STORE_TRANSPOSE> Store;
    typedef cub::WarpReduce<int> Warp;
    __shared__ typename Load::TempStorage load;
    __shared__ typename Store::TempStorage store;
    __shared__ typename Warp::TempStorage warp[threads / 32];
    for (int r = 0; r < rounds; r++) {
        int items[2];
        const int at = (r * gridDim.x + blockIdx.x) * threads * 2;
        Load(load).Load(in + at, items);
        __syncthreads();
        int sum = Warp(warp[threadIdx.x / 32]).Sum(items[0] - items[1]);
        if (threadIdx.x % 32 == 0) items[1] += sum;
        Store(store).Store(out + at, items);
        __syncthreads();
    }
}

int main() {
    const int blocks = 5, rounds = 3, n = blocks * rounds * threads * 2;
    static int h[n];
    for (int i = 0; i < n; i++) h[i] = i * 37 % 101;
    int *in, *out, *totals;
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&out, sizeof h);
    cudaMalloc(&totals, blocks * sizeof(int));
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemset(out, 0, sizeof h);
    offsets<<<blocks, threads>>>(in, out, totals);
    unsigned sum = 0;
    cudaMemcpy(h, totals, blocks * sizeof(int), cudaMemcpyDeviceToHost);
    for (int i = 0; i < blocks; i++) sum = sum * 31 + h[i];
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < blocks * threads; i++) sum = sum * 31 + h[i];
    tiles<<<blocks, threads>>>(in, out, rounds);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) sum = sum * 31 + h[i];
    printf("%u\n", sum);
}
