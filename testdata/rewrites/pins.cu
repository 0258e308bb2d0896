// Each thread hands the mean of two values to its neighbour.

__global__ void means(const float *in, float *out) {
    __shared__ float line[128];
    const int i = blockIdx.x * 128 + threadIdx.x;
    const float mean = (in[2 * i] + in[2 * i + 1]) / 2;
    line[threadIdx.x] = mean;
    __syncthreads();
    out[i] = mean - line[(threadIdx.x + 1) % 128];
}

void run(const float *in, float *out, int n) {
    means<<<n, 128>>>(in, out);
}
