// The sum of a block's values, by a tree.

__global__ void total(const float *in, float *out, int perThread) {
    __shared__ float sums[256];
    float sum = 0;
    for (int i = 0; i < perThread; ++i) sum += in[(blockIdx.x * perThread + i) * blockDim.x + threadIdx.x];
    sums[threadIdx.x] = sum;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    }
    if (threadIdx.x == 0) out[blockIdx.x] = sums[0];
}

void run(const float *in, float *out, int n) {
    total<<<n, 256>>>(in, out, 16);
}
