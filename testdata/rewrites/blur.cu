__global__ void blur(const float *__restrict__ in, float *__restrict__ out, int w, int h)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) {
        return;
    }
    float sum = 0;
    for (int i = -2; i <= 2; ++i) {
        for (int j = -2; j <= 2; ++j) {
            const int row = y + i, col = x + j;
            if (row >= 0 && row < h && col >= 0 && col < w) {
                sum += in[row * w + col];
            }
        }
    }
    out[y * w + x] = sum / 25;
}

void run(const float *in, float *out, int w, int h)
{
    blur<<<dim3((w + 31) / 32, (h + 7) / 8), dim3(32, 8)>>>(in, out, w, h);
}
