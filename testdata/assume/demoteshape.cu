// edit: tx = 256, ty = 1 -> tx = 16, ty = 16
// way: demote demote=scale,outside
// way: demote demote=scale,outside bounds=256,8
#include <cstdio>
__global__ void polynomial(const float *in, const float *factors, float *out, int degree) {
    const int t = threadIdx.y * blockDim.x + threadIdx.x;
    const int i = blockIdx.x * blockDim.x * blockDim.y + t;
    const float x = in[i];
    float scale = in[i + gridDim.x * blockDim.x * blockDim.y];
    float sum = 0, outside = 0;
    for (int d = 0; d < degree; ++d) {
        sum = sum * x + factors[d];
        if (sum > 1 || sum < -1) outside += 1;
    }
    out[i] = sum * scale - outside;
}
int main() {
    const int tx = 256, ty = 1, blocks = 8; static float h[4096]; float *a, *b, *f;
    for (int i = 0; i < 4096; ++i) h[i] = (i % 97) * 0.01f;
    cudaMalloc(&a, sizeof h); cudaMalloc(&b, sizeof h); cudaMalloc(&f, sizeof h); cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice); cudaMemcpy(f, h, sizeof h, cudaMemcpyHostToDevice); cudaMemset(b, 0, sizeof h);
    polynomial<<<blocks, dim3(tx, ty)>>>(a, f, b, 24);
    cudaMemcpy(h, b, sizeof h, cudaMemcpyDeviceToHost);
    double s = 0; for (int i = 0; i < 4096; ++i) s += h[i] * (i % 5); printf("%.1f\n", s);
}
