// edit: const int w = 96 -> const int w = 97
// the kernels are right for every size; main happens to use a round one
#include <cstdio>
#include <vector>
__global__ void transpose_naive(float *out, const float *in, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) out[x * h + y] = in[y * w + x];
}
int main() {
    const int w = 96, h = 64;
    std::vector<float> a(w * h), b(w * h);
    for (int i = 0; i < w * h; ++i) a[i] = i % 17;
    float *da, *db;
    cudaMalloc(&da, w * h * 4); cudaMalloc(&db, w * h * 4);
    cudaMemcpy(da, a.data(), w * h * 4, cudaMemcpyHostToDevice);
    dim3 block(16, 16), grid((w + 15) / 16, (h + 15) / 16);
    transpose_naive<<<grid, block>>>(db, da, w, h);
    cudaMemcpy(b.data(), db, w * h * 4, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int y = 0; y < h; ++y) for (int x = 0; x < w; ++x) bad += b[x * h + y] != a[y * w + x];
    printf("bad %d\n", bad);
    return bad != 0;
}
