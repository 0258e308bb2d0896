// Each thread averages four times four values, and all threads add them up.

__global__ void averages(const float *in, float *out) {
    __shared__ float line[256];
    const int t = threadIdx.x;
    for (int i = t; i < 256; i += 64) {
        float sum = 0;
        for (int e = 0; e < 4; ++e) sum += in[(blockIdx.x * 4 + e) * 256 + i];
        line[i] = sum / 4;
    }
    for (int stride = 128; stride > 0; stride /= 2) {
        __syncthreads();
        for (int i = t; i < stride; i += 64) line[i] += line[i + stride];
    }
    if (t == 0) out[blockIdx.x] = line[0];
}

void run(const float *in, float *out, int n) {
    averages<<<n, 64>>>(in, out);
}
