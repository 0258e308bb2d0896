// Sums a line of pixels on both sides of each, with a border of the nearest pixel.

__global__ void smooth(const float *in, float *out, int n) {
    __shared__ float line[256];
    const int first = blockIdx.x * 128;
    line[threadIdx.x] = in[first + threadIdx.x];
    if (first + 128 < n) line[threadIdx.x + 128] = in[first + 128 + threadIdx.x];
    else line[threadIdx.x + 128] = in[n - 1];
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < 100; ++i) sum += line[threadIdx.x + i];
    out[first + threadIdx.x] = sum;
}

void run(const float *in, float *out, int n) {
    smooth<<<n / 128, 128>>>(in, out, n);
}
