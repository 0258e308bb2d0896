// A tile of 32 by 32 is turned over.

__global__ void turn(const float *in, float *out) {
    __shared__ float tile[32][33];
    const int x = threadIdx.x % 32, y = threadIdx.x / 32;
    for (int i = 0; i < 32; i += 4) tile[y + i][x] = in[blockIdx.x * 1024 + (y + i) * 32 + x];
    __syncthreads();
    for (int i = 0; i < 32; i += 4) out[blockIdx.x * 1024 + (y + i) * 32 + x] = tile[x][y + i];
}

void run(const float *in, float *out, int n) {
    turn<<<n, 128>>>(in, out);
}
