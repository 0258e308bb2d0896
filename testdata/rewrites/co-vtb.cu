// Each thread keeps twelve values in shared memory, and takes four of its neighbour's.

__global__ void blend(const float *in, float *out) {
    __shared__ float rows[12][64];
    const int t = threadIdx.x;
    const float *mine = in + blockIdx.x * 768 + t;
    for (int r = 0; r < 12; ++r) rows[r][t] = mine[r * 64];
    __syncthreads();
    float sum = 0;
    for (int r = 8; r < 12; ++r) sum += rows[r][63 - t];
    for (int r = 0; r < 8; ++r) sum = sum * 0.5f + rows[r][t];
    out[blockIdx.x * 64 + t] = sum;
}

void run(const float *in, float *out, int n) {
    blend<<<n, 64>>>(in, out);
}
