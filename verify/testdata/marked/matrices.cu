// What is found in loads, stores and products of matrices, at the lines that are marked; all else is right.
#include <mma.h>
using namespace nvcuda;
typedef wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> part_a;
typedef wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> part_b;
typedef wmma::fragment<wmma::accumulator, 16, 16, 16, float> part_c;

__device__ unsigned shared_address(const void *p) { return unsigned(__cvta_generic_to_shared(p)); }

// Each warp has a tile of its own, and syncs it.
__global__ void right(const half *a, float *out) {
    __shared__ alignas(32) half tile[2][16 * 24];
    __shared__ alignas(32) float sums[2][16 * 20];
    const int w = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int i = lane; i < 256; i += 32) tile[w][i / 16 * 24 + i % 16] = a[i];
    __syncwarp();
    part_a fa;
    part_b fb;
    part_c fc;
    wmma::fill_fragment(fc, 0.0f);
    wmma::load_matrix_sync(fa, tile[w], 24);
    wmma::load_matrix_sync(fb, tile[w], 24);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(sums[w], fc, 20, wmma::mem_row_major);
    __syncwarp();
    for (int i = lane; i < 256; i += 32) out[w * 256 + i] = sums[w][i / 16 * 20 + i % 16];
}

__global__ void lanes() {
    unsigned lane, chosen, members;
    asm volatile("{ .reg .pred p; elect.sync %0|p, 0xffffffff; selp.u32 %1, 1, 0, p; }" : "=r"(lane), "=r"(chosen));
    if (chosen != (threadIdx.x == 0) || lane != 0) __trap();
    asm volatile("{ .reg .pred p; match.all.sync.b32 %0|p, %2, 0xffffffff; selp.u32 %1, 1, 0, p; }" : "=r"(members), "=r"(chosen) : "r"(threadIdx.x / 32));
    if (!chosen || members != ~0u) __trap();
    asm volatile("match.any.sync.b32 %0, %1, 0xffffffff;" : "=r"(members) : "r"(threadIdx.x % 2));
    if (members != (threadIdx.x % 2 ? 0xaaaaaaaa : 0x55555555)) __trap();
}

__global__ void load_too_early(const half *a, float *out) {
    __shared__ alignas(32) half tile[256];
    for (int i = threadIdx.x; i < 256; i += 32) tile[i] = a[i];
    part_a fa;
    wmma::load_matrix_sync(fa, tile, 16);  // want: race
    out[threadIdx.x] = fa.x[0];
}

__global__ void read_too_early(float *out) {
    __shared__ alignas(32) float tile[256];
    part_c fc;
    wmma::fill_fragment(fc, 1.0f);
    wmma::store_matrix_sync(tile, fc, 16, wmma::mem_row_major);  // want: race
    out[threadIdx.x] = tile[255 - threadIdx.x];  // want: uninitialised
}

__global__ void same_tile(float *out) {
    part_c fc;
    wmma::fill_fragment(fc, float(threadIdx.x / 32));
    wmma::store_matrix_sync(out, fc, 16, wmma::mem_row_major);  // want: race
}

__global__ void beyond(const half *a, float *out) {
    part_a fa;
    wmma::load_matrix_sync(fa, a, 24);  // want: out-of-bounds
    out[threadIdx.x] = fa.x[0];
}

__global__ void unwritten(float *out) {
    __shared__ alignas(32) half tile[256];
    part_a fa;
    wmma::load_matrix_sync(fa, tile, 16);  // want: uninitialised
    out[threadIdx.x] = fa.x[0];
}

__global__ void crooked(const half *a, float *out) {
    part_a fa;
    wmma::load_matrix_sync(fa, a, 15);  // want: misaligned
    out[threadIdx.x] = fa.x[0];
}

__global__ void half_warp(float *out) {
    part_a fa;
    part_b fb;
    part_c fc;
    wmma::fill_fragment(fa, half(1.0f));
    wmma::fill_fragment(fb, half(1.0f));
    wmma::fill_fragment(fc, 1.0f);
    if (threadIdx.x < 16) wmma::mma_sync(fc, fa, fb, fc);  // want: warp-divergence
    out[threadIdx.x] = fc.x[0];
}

__global__ void two_places(unsigned *out) {
    unsigned r;
    if (threadIdx.x < 16)
        asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(r) : "r"(threadIdx.x));
    else
        asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(r) : "r"(threadIdx.x));  // want: warp-divergence
    out[threadIdx.x] = r;
}

__global__ void pieces(const half *a, unsigned *out) {
    __shared__ alignas(16) half tile[256];
    __shared__ alignas(16) half less[64 * 3];
    for (int i = threadIdx.x; i < 256; i += 32) tile[i] = a[i];  // want: race
    for (int i = threadIdx.x; i < 192; i += 32) less[i] = a[i];
    unsigned r0, r1, r2, r3;
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r0) : "r"(shared_address(tile + threadIdx.x % 8 * 8)));  // want: uninitialised
    __syncwarp();
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"  // want: out-of-bounds
                 : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "r"(shared_address(less + threadIdx.x * 8)));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"  // want: misaligned
                 : "=r"(r0), "=r"(r1) : "r"(shared_address(tile + threadIdx.x % 16 * 9)));
    // Only the rows that are loaded need addresses.
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                 : "=r"(r0), "=r"(r1) : "r"(shared_address(tile + threadIdx.x * 8)));
    out[threadIdx.x] = r0 + r1 + r2 + r3;
}

int main() {
    half *a;
    float *out;
    cudaMalloc(&a, 256 * sizeof(half));
    cudaMalloc(&out, 512 * sizeof(float));
    cudaMemset(a, 0, 256 * sizeof(half));
    right<<<1, 64>>>(a, out);
    lanes<<<1, 32>>>();
    load_too_early<<<1, 32>>>(a, out);
    read_too_early<<<1, 32>>>(out);
    same_tile<<<1, 64>>>(out);
    beyond<<<1, 32>>>(a, out);
    unwritten<<<1, 32>>>(out);
    crooked<<<1, 32>>>(a, out);
    half_warp<<<1, 32>>>(out);
    two_places<<<1, 32>>>((unsigned *)out);
    pieces<<<1, 32>>>(a, (unsigned *)out);
    cudaDeviceSynchronize();
}
