// What copies of a coarsened block share and what each has for itself, where a mistake shows in the results.
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>

namespace cg = cooperative_groups;

// An element of a product: what the blocks along x share is loaded once.
__global__ void product(const float *a, const float *b, float *out, int n, int width) {
    int col = blockIdx.x * 16 + threadIdx.x;
    if (col >= width) return;
    float sum = 0;
    for (int k = 0; k < n; ++k) sum += a[k] * b[k * width + col];
    out[col] += sum + gridDim.x;
}

// Shared memory that all fill alike, until a guard under which copies of a thread differ.
__global__ void guarded(const float *a, float *out, int n) {
    __shared__ float rest[16], row[16];
    int t = threadIdx.x, i = blockIdx.x * 16 + t;
    rest[t] = 1;
    row[t] = a[t];
    __syncthreads();
    if (i >= n) return;
    rest[t] = 5;
    __syncthreads();
    out[i] += rest[15 - t] + row[15 - t];
}

// Counters of a loop that each copy runs for itself, and values that are needed after one.
__global__ void counted(const int *at, float *out, int n) {
    int steps = 0, found = 0;
    for (int i = blockIdx.x * 16 + threadIdx.x, k = 0; k < 4; ++k) {
        steps += k;
        if (at[i + k] == 3) break;
    }
    int q = 0;
    if (blockIdx.x < n) {
        for (int k = 0; k < 3; ++k) out[blockIdx.x * 16 + threadIdx.x] += at[k];
        q = blockIdx.x;
    }
    found = at[q * 16];
    __syncthreads();
    out[blockIdx.x * 16 + threadIdx.x] += steps + found;
}

// Sums in shared memory, added up by the block that comes last.
__global__ void total(const float *a, float *out, float *parts, unsigned *tickets) {
    __shared__ float s[16];
    __shared__ bool last;
    int t = threadIdx.x;
    s[t] = a[blockIdx.x * 16 + t];
    __syncthreads();
    for (int d = 8; d > 0; d /= 2) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) {
        parts[blockIdx.x] = s[0];
        __threadfence();
        last = atomicAdd(tickets, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        float sum = 0;
        for (int k = 0; k < gridDim.x; ++k) sum += parts[k];
        if (t == 0) *out = sum;
    }
}

// Parameters that are moved on, and elements in place.
__global__ void moved(float *x, const float *a, int at) {
    x += blockIdx.x * 16;
    for (int k = 0; k < 2; ++k) x[threadIdx.x] = x[threadIdx.x] * 2 + a[at + k];
    at += blockIdx.x;
    __syncthreads();
    x[threadIdx.x] += a[at];
}

// A loop that all blocks run alike, whose head has a place of each; the group of a block is the same for all.
__global__ void strided(const float *a, const float *b, float *out, int n) {
    cg::thread_block all = cg::this_thread_block();
    __shared__ float row[16], column[16];
    int t = threadIdx.x, first = blockIdx.x * 16;
    float sum = 0;
    for (int m = 0, at = first, back = first + 4 * 16; m < n; m += 16, at += 16, back -= 8) {
        row[t] = a[m + t];
        column[t] = b[at + t] + b[back];
        cg::sync(all);
        if (row[0] == 9) break;
        for (int k = 0; k < 16; ++k) sum += row[k] * column[15 - k];
        all.sync();
    }
    out[first + t] += sum;
}

// Objects of nothing but data.
struct Cell {
    float mass, part[2];
};
__device__ void shift(Cell &c, float by) { c.part[1] += by; }
__global__ void cells(const float *a, float *out) {
    int i = blockIdx.x * 16 + threadIdx.x;
    Cell c = {a[i], {1}};
    __syncthreads();
    shift(c, a[i + 1]);
    Cell d = c;
    __syncthreads();
    d.part[0] += blockIdx.x;
    out[i] += d.mass + d.part[0] * c.part[1];
}

// Volatile shared memory, in the kernel and in a function, and branches of an #if.
__device__ float folded(volatile float *s, int t) {
    for (int d = 4; d > 0; d /= 2) {
        float v = s[t] + s[t ^ d];
        __syncwarp();
        s[t] = v;
        __syncwarp();
    }
    return s[t];
}
__global__ void ordered(const float *a, float *out) {
    cg::thread_block all = cg::this_thread_block();
    __shared__ volatile float s[16];
    int t = all.thread_rank();
    float v = a[blockIdx.x * 16 + t];
    s[t] = v;
    all.sync();
#if HALVES == 1
    if (t < 8) s[t] = s[t + 8] - s[t];
#else
    v += blockIdx.x;
#endif
    all.sync();
    out[blockIdx.x * 16 + t] += folded(s, t) + v;
}

int main(int argc, char **args) {
    int blocks = atoi(args[1]), n = blocks * 16 - 5;
    const int size = 640;
    static float a[size], b[size], out[8][size];
    static int at[size];
    for (int i = 0; i < size; ++i) {
        a[i] = i * 7 % 13 + 1;
        b[i] = i * 5 % 11 + 1;
        at[i] = i * 3 % 7;
    }
    float *da, *db, *dout, *parts;
    int *dat;
    unsigned *tickets;
    cudaMalloc(&da, sizeof a);
    cudaMalloc(&db, sizeof b);
    cudaMalloc(&dout, sizeof out);
    cudaMalloc(&parts, sizeof a);
    cudaMalloc(&dat, sizeof at);
    cudaMalloc(&tickets, sizeof(unsigned));
    cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b, sizeof b, cudaMemcpyHostToDevice);
    cudaMemcpy(dat, at, blocks * 64 + 64, cudaMemcpyHostToDevice);
    cudaMemset(dout, 0, sizeof out);
    cudaMemset(tickets, 0, sizeof(unsigned));
    product<<<blocks, 16>>>(da, db, dout, 5, n);
    guarded<<<blocks, 16>>>(da, dout + size, n);
    counted<<<blocks, 16>>>(dat, dout + 2 * size, blocks - 1);
    total<<<blocks, 16>>>(da, dout + 3 * size, parts, tickets);
    dim3 grid(blocks);
    moved<<<grid, 16>>>(dout + 4 * size, da, 1);
    strided<<<blocks, 16>>>(da, db, dout + 5 * size, 48);
    cells<<<blocks, 16>>>(da, dout + 6 * size);
    ordered<<<blocks, 16>>>(da, dout + 7 * size);
    cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost);
    unsigned all;
    cudaMemcpy(&all, tickets, sizeof all, cudaMemcpyDeviceToHost);
    printf("%g %g %u\n", out[0][3], out[3][0], all);
}
