// A polynomial of each value, and how often it left the unit interval on the way.

__global__ void polynomial(const float *in, const float *factors, float *out, int degree) {
    const int i = blockIdx.x * 256 + threadIdx.x;
    const float x = in[i];
    float scale = in[i + gridDim.x * 256];
    float sum = 0, outside = 0;
    for (int d = 0; d < degree; ++d) {
        sum = sum * x + factors[d];
        if (sum > 1 || sum < -1) outside += 1;
    }
    out[i] = sum * scale - outside;
}

void run(const float *in, const float *factors, float *out, int n) {
    polynomial<<<n, 256>>>(in, factors, out, 24);
}
