__global__ void settle(const float *__restrict__ in, float *__restrict__ out, int w, int h, int d)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && x < w - 1 && y < h) {
        for (int z = 1; z < d - 1; ++z) {
            const int at = (z * h + y) * w + x;
            out[at] = 0.2f * (in[at] + in[at - 1] + in[at + 1] + in[at - w * h] + in[at + w * h]);
        }
    }
}

void run(const float *in, float *out, int w, int h, int d)
{
    settle<<<dim3((w + 31) / 32, (h + 7) / 8), dim3(32, 8)>>>(in, out, w, h, d);
}
