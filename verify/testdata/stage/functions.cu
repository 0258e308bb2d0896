// Kernels that read through functions of several statements: a clamped place, a frame of one color,
// another function, a loop over a row.

#include <cstdio>
#include <cstdlib>
#include <vector>

__device__ int clamped(const int *p, int x, int y, int w, int h)
{
    x = min(max(x, 0), w - 1);
    y = min(max(y, 0), h - 1);
    return p[y * w + x];
}

__device__ float framed(const float *p, int x, int y, int w, int h)
{
    if (x < 0 || x >= w)
        return -1.0f;
    if (y < 0 || y >= h)
        return -2.0f;
    const int at = y * w + x;
    const float value = p[at];
    return value;
}

__device__ int wrapped(int i, int n)
{
    while (i < 0)
        i += n;
    while (i >= n)
        i -= n;
    return i;
}

__device__ unsigned char around(const unsigned char *p, int x, int y, int w, int h)
{
    const int row = wrapped(y, h), col = wrapped(x, w);
    return p[row * w + col] ^ (unsigned char)(row * 3 + col);
}

__device__ int at(const int *p, int x, int y, int w)
{
    const int row = y * w;
    return p[row + x];
}

__device__ int sumOfRow(const int *a, int row, int n)
{
    int sum = 0;
    for (int k = 0; k < n; k++)
        sum = sum * 3 + a[row * n + k];
    return sum;
}

__global__ void cross(const int *__restrict__ in, int *__restrict__ out, int w, int h)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    out[y * w + x] = clamped(in, x, y, w, h) + 2 * clamped(in, x - 1, y, w, h) + 3 * clamped(in, x + 1, y, w, h) + 5 * clamped(in, x, y - 1, w, h) + 7 * clamped(in, x, y + 1, w, h);
}

__global__ void square(const float *__restrict__ in, int *__restrict__ out, int w, int h)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) {
        int s = 0;
        for (int i = -2; i <= 2; i++)
            for (int j = -1; j <= 1; j++)
                s += (int)framed(in, x + j, y + i, w, h) * (i * 5 + j + 8);
        out[y * w + x] = s;
    }
}

__global__ void torus(const unsigned char *__restrict__ in, int *__restrict__ out, int w, int h)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    int s = 0;
    for (int j = -3; j <= 3; j++)
        s = s * 3 + around(in, x + j, y, w, h);
    out[y * w + x] = s;
}

__global__ void rows(const int *__restrict__ a, int *__restrict__ out, int m, int n)
{
    unsigned s = threadIdx.x;
    for (int row = 0; row < m; row++)
        s = s * 5 + sumOfRow(a, row, n);
    out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

__global__ void inner(const int *__restrict__ in, int *__restrict__ out, int w, int h)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 2 || x >= w - 1 || y < 1 || y >= h - 3) return;
    int s = 0;
    for (int i = -1; i <= 3; i++)
        for (int j = -2; j <= 1; j++)
            s = s * 3 + at(in, x + j, y + i, w);
    out[y * w + x] = s;
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
    std::vector<float> f(n);
    std::vector<unsigned char> c(n);
    for (int i = 0; i < n; i++) {
        a[i] = i * 13 + i / 3;
        f[i] = i * 7 + i / 5;
        c[i] = i * 11 + i / 7;
    }
    const dim3 grid((w + 15) / 16, (h + 7) / 8), block(16, 8);
    int *p = device(a), *b;
    cross<<<grid, block>>>(p, b = device(zero), w, h);
    print("cross", b, n);
    square<<<grid, block>>>(device(f), b = device(zero), w, h);
    print("square", b, n);
    torus<<<grid, block>>>(device(c), b = device(zero), w, h);
    print("torus", b, n);
    inner<<<grid, block>>>(p, b = device(zero), w, h);
    print("inner", b, n);
    rows<<<blocks, 64>>>(p, b = device(threads), h, w);
    print("rows", b, blocks * 64);
    return 0;
}
