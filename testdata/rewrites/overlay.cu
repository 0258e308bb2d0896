// Pairs of a block's keys in reverse, and a scan over what they have in common.

__global__ void ranks(const unsigned *keys, unsigned *out, unsigned *total) {
    __shared__ unsigned key[512];
    for (int i = threadIdx.x; i < 512; i += 256) key[i] = keys[blockIdx.x * 512 + i];
    __syncthreads();
    const unsigned a = key[511 - threadIdx.x], b = key[255 - threadIdx.x];

    __shared__ unsigned scan[256];
    scan[threadIdx.x] = a & b;
    __syncthreads();
    for (int d = 1; d < 256; d *= 2) {
        const unsigned before = threadIdx.x >= d ? scan[threadIdx.x - d] : 0;
        __syncthreads();
        scan[threadIdx.x] += before;
        __syncthreads();
    }
    out[blockIdx.x * 256 + threadIdx.x] = scan[threadIdx.x] + a;
    if (threadIdx.x == 255) total[blockIdx.x] = scan[255];
}

void run(const unsigned *keys, unsigned *out, unsigned *total, int n) {
    ranks<<<n, 256>>>(keys, out, total);
}
