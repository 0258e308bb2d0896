// Kernels without __restrict__, launched with allocations of their own: an outer product whose
// factors are read once by each row and column of threads, sums with a counter beside them, a
// device function, loads under more conditions than the first.

#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void outer(int *x, int *y, int *out, int w, int h)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (col >= w || row >= h) return;
    out[row * w + col] = x[col] * y[row];
    if (row > 0) out[row * w + col] += x[col];
}

__device__ int cubed(int x)
{
    int y = x;
    y *= x;
    return y * x;
}

__global__ void sums(int *x, int *out, int *count, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int sum = 0;
    for (int k = 0; k < n; k++) sum += cubed(x[k]) * (k ^ i);
    atomicAdd(count, 1);
    out[i] = sum;
}

static void show(const char *name, int *p, int n)
{
    std::vector<int> v(n);
    cudaMemcpy(v.data(), p, n * sizeof(int), cudaMemcpyDeviceToHost);
    unsigned sum = 0;
    for (int x : v) sum = sum * 31 + x;
    printf("%s %u\n", name, sum);
}

static void launch(int *x, int *y, int *out, int w, int h)
{
    int side;
    side = 16;
    const dim3 block(side, side);
    outer<<<dim3((w + 15) / 16, (h + 15) / 16), block>>>(x, y, out, w, h);
}

int main(int argc, char **argv)
{
    const int w = argc > 1 ? atoi(argv[1]) : 37, h = argc > 2 ? atoi(argv[2]) : 11;
    std::vector<int> a(w), b(h), zero(w * h);
    for (int i = 0; i < w; i++) a[i] = i * 13 + i / 3;
    for (int i = 0; i < h; i++) b[i] = i * 7 + i / 2;
    int *x, *y, *out, *count;
    cudaMalloc(&x, w * sizeof(int));
    cudaMalloc(&y, h * sizeof(int));
    cudaMalloc(&out, w * h * sizeof(int));
    cudaMalloc(&count, sizeof(int));
    cudaMemcpy(x, a.data(), w * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(y, b.data(), h * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(out, zero.data(), w * h * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(count, 0, sizeof(int));
    launch(x, y, out, w, h);
    show("outer", out, w * h);
    sums<<<(w + 63) / 64, 64>>>(x, out, count, w);
    show("sums", out, w);
    show("count", count, 1);
}
