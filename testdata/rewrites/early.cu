// Each thread looks up what its case stands for, and weighs the values of all threads.

__global__ void weigh(const int *__restrict__ in, const int *__restrict__ meaning,
                      const float *__restrict__ weight, float *out) {
    __shared__ float line[128];
    __shared__ int cases[128];
    const int t = threadIdx.x;
    const int sign = in[blockIdx.x * 128 + t] & 1;
    cases[t] = sign;
    line[t] = t * sign;
    __syncthreads();
    const int first = meaning[cases[t]];
    float sum = 0;
    for (int k = 0; k < 4; ++k) {
        sum += line[(first + k) % 128] * weight[k];
    }
    out[blockIdx.x * 128 + t] = sum;
}

void run(const int *in, const int *meaning, const float *weight, float *out, int n) {
    weigh<<<n, 128>>>(in, meaning, weight, out);
}
