// Each thread takes a value of its neighbour's, and works on it for a while.

__global__ void settle(const float *in, float *out, int steps) {
    __shared__ float line[128];
    line[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
    __syncthreads();
    float left = line[(threadIdx.x + 127) % 128];
    float right = line[(threadIdx.x + 1) % 128];
    for (int s = 0; s < steps; ++s) {
        const float mean = (left + right) / 2;
        left += (mean - left) * mean;
        right += (mean - right) * mean;
    }
    out[blockIdx.x * 128 + threadIdx.x] = left - right;
}

void run(const float *in, float *out, int n) {
    settle<<<n, 128>>>(in, out, 100);
}
