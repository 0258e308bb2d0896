// Sums by atomics, of numbers far apart: the test computes them exactly.
#include <cstdio>
#include <cstdlib>
#include <cuda/atomic>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__host__ __device__ double value(int i, int spread) { return ldexp(double((i * 7919) % 1013 - 506), (i * 31) % (2 * spread + 1) - spread); }

__global__ void sums(float *f, double *d, __half *h, __nv_bfloat16 *b, float *less, int spread) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const double v = value(i, spread);
    atomicAdd(f, float(v));
    atomicAdd(d, v);
    atomicAdd(h, __double2half(ldexp(v, -12 - spread)));
    atomicAdd(b, __double2bfloat16(v));
    cuda::atomic_ref<float, cuda::thread_scope_device>(*less).fetch_sub(float(v), cuda::memory_order_relaxed);
}

// What others write in between begins a new sum.
__global__ void begun_again(float *f) {
    if (threadIdx.x == 0) atomicAdd(f, 0.1f);
    __syncthreads();
    if (threadIdx.x == 1) *f = 1;
    __syncthreads();
    if (threadIdx.x == 2) atomicAdd(f, 0x1p-24f), atomicAdd(f, 0x1p-24f);
}

int main(int argc, char **argv) {
    struct { double d; float f, less, again; __half h; __nv_bfloat16 b; } *r;
    cudaMallocManaged(&r, sizeof *r);
    sums<<<8, 64>>>(&r->f, &r->d, &r->h, &r->b, &r->less, atoi(argv[1]));
    begun_again<<<1, 32>>>(&r->again);
    cudaDeviceSynchronize();
    printf("%.17g %.17g %.17g %.17g %.17g %.17g\n", r->d, r->f, r->less, r->again, (double)__half2float(r->h), (double)__bfloat162float(r->b));
}
