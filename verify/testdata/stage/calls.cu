// Kernels that read through functions of one return: as it is, with a number outside of the picture,
// and clamped.

#include <cstdio>
#include <cstdlib>
#include <vector>

__device__ __forceinline__ int at(const int *p, int x, int y, int w)
{
    return p[y * w + x];
}

__device__ inline int padded(const int *p, int x, int y, int w, int h)
{
    return x >= 0 && x < w && y >= 0 && y < h ? p[y * w + x] : -3;
}

__device__ int clampedAt(const int *p, int x, int y, int w, int h)
{
    return p[min(max(y, 0), h - 1) * w + min(max(x, 0), w - 1)];
}

__global__ void inner(const int *__restrict__ in, int *__restrict__ out, int w, int h)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || x >= w - 1 || y < 1 || y >= h - 1) return;
    out[y * w + x] = at(in, x, y, w) + 2 * at(in, x - 1, y, w) + 3 * at(in, x + 1, y, w) + 5 * at(in, x, y - 1, w) + 7 * at(in, x, y + 1, w);
}

__global__ void bordered(const int *__restrict__ in, int *__restrict__ out, int w, int h)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    out[y * w + x] = padded(in, x, y, w, h) + 2 * padded(in, x - 1, y, w, h) + 3 * padded(in, x + 1, y, w, h) + 5 * padded(in, x, y - 1, w, h) + 7 * padded(in, x, y + 1, w, h);
}

__global__ void window(const int *__restrict__ in, int *__restrict__ out, int w, int h)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    int s = 0;
    if (x < w && y < h) {
        for (int i = -1; i <= 1; i++)
            for (int j = -2; j <= 2; j++)
                s += clampedAt(in, x + j, y + i, w, h) * (i * 5 + j + 8);
        out[y * w + x] = s;
    }
}

__global__ void sides(const int *__restrict__ in, int *__restrict__ out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int left = i > 0 ? at(in, i - 1, 0, n) : 7;
    const int right = i < n - 1 ? at(in, i + 1, 0, n) : 9;
    out[i] = left + 2 * at(in, i, 0, n) + 4 * right;
}

__global__ void rows(const int *__restrict__ a, const int *__restrict__ x, int *__restrict__ y, int m, int n)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned s = 0;
    for (int k = 0; k < n; k++)
        s = s * 3 + at(x, k, 0, n) * at(a, row % m, k, m);
    y[row] = s;
}

template <typename T>
static T *device(const std::vector<T> &v)
{
    T *p;
    cudaMalloc(&p, v.size() * sizeof(T));
    cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice);
    return p;
}

static void print(const char *name, int *p, size_t n)
{
    std::vector<int> v(n);
    cudaMemcpy(v.data(), p, n * sizeof(int), cudaMemcpyDeviceToHost);
    unsigned sum = 0;
    for (int x : v) sum = sum * 31 + x;
    printf("%s %u\n", name, sum);
}

int main(int argc, char **argv)
{
    const int w = argc > 1 ? atoi(argv[1]) : 37, h = argc > 2 ? atoi(argv[2]) : 11, n = w * h;
    const int blocks = (w + 63) / 64;
    std::vector<int> a(n), zero(n), threads(blocks * 64);
    for (int i = 0; i < n; i++) a[i] = i * 13 + i / 3;
    const dim3 grid((w + 15) / 16, (h + 7) / 8), block(16, 8);
    int *p = device(a), *b;
    inner<<<grid, block>>>(p, b = device(zero), w, h);
    print("inner", b, n);
    bordered<<<grid, block>>>(p, b = device(zero), w, h);
    print("bordered", b, n);
    window<<<grid, block>>>(p, b = device(zero), w, h);
    print("window", b, n);
    sides<<<(n + 63) / 64, 64>>>(p, b = device(zero), n);
    print("sides", b, n);
    rows<<<blocks, 64>>>(p, p, b = device(threads), w, h);
    print("rows", b, blocks * 64);
    return 0;
}
