__global__ void sums(const float *in, float *out, int tiles) {
    __shared__ float tile[4096];
    float sum = 0;
    for (int t = 0; t < tiles; ++t) {
        tile[threadIdx.x] = in[(blockIdx.x * tiles + t) * 64 + threadIdx.x];
        __syncthreads();
        for (int i = 0; i < 64; ++i)
            sum += tile[i] * (i ^ threadIdx.x);
        __syncthreads();
    }
    out[blockIdx.x * 64 + threadIdx.x] = sum;
}

void run(const float *in, float *out, int n, int tiles) {
    sums<<<n, 64>>>(in, out, tiles);
}
