// ways: vtb named, vtb lock, vtb block, dyn lock, merge named, merge block
// Loops whose head is a macro: over the grid, around barriers, in each other.
#include <cstdio>

#define GRID_LOOP(i, n) for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += blockDim.x * gridDim.x)
#define EACH(i, n) for (int i = 0; i < (n); ++i)
#define HALVES(d, n) for (int d = (n) / 2; d > 0; d /= 2)
#define WHILE_BELOW(x, n) while (x < (n))

__global__ void sums(const int *in, int *out, int n, int rounds) {
    __shared__ int s[64];
    __shared__ int rows[4][16];
    int v = 0;
    GRID_LOOP(i, n) {
        if (in[i] == 13) continue;
        v += in[i];
    }
    EACH(r, rounds){
        s[threadIdx.x] = v + r;
        __syncthreads();
        HALVES(d, 64) {
            if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
            __syncthreads();
        }
        v ^= s[0];
        __syncthreads();
    }
#pragma unroll
    EACH(y, 4) EACH(x, 1) if (threadIdx.x < 16) rows[y][threadIdx.x] = v + y * x;
    __syncthreads();
    int turns = 0;
    WHILE_BELOW(turns, 3) ++turns;
    EACH(y, 4)
        EACH(x, 16) {
            if (x == 9) break;
            v += rows[y][x] * turns;
        }
    out[blockIdx.x * 64 + threadIdx.x] = v;
}

int main() {
    const int blocks = 5, n = 1000;
    static int h[n];
    for (int i = 0; i < n; i++) h[i] = i * 7 % 113;
    int *in, *out;
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&out, sizeof h);
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    sums<<<blocks, 64>>>(in, out, n, 3);
    cudaMemcpy(h, out, blocks * 64 * sizeof(int), cudaMemcpyDeviceToHost);
    unsigned sum = 0;
    for (int i = 0; i < blocks * 64; i++) sum = sum * 31 + h[i];
    printf("%u\n", sum);
}
