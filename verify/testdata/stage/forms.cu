// Kernels whose arrays are staged in forms that no example has: whole blocks that leave, several
// returns, a full neighbourhood of bytes, far offsets, rows of an outer loop, a condition around
// everything, statements beside a loop, a block of three dimensions.

#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void blur(const unsigned char *__restrict__ in, int *__restrict__ out, int w, int h, int on)
{
    if (!on) return;
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || x >= w - 1 || y < 1) return;
    if (y >= h - 1) return;
    int sum = 0;
    for (int i = -1; i <= 1; i++)
        for (int j = -1; j <= 1; j++) sum += in[(y + i) * w + (x + j)];
    out[y * w + x] = sum;
}

__global__ void far(const int *__restrict__ a, int *__restrict__ b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 5 && i < n - 3)
        b[i] = a[i - 5] + a[i + 3] + a[i + 1];
}

__global__ void ahead(const int *__restrict__ a, int *__restrict__ b, int n, int rows)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int t = 0; t < rows; t++) {
        if (i + 3 < n) {
            int sum = 0;
            for (int k = 0; k < 4; k++) sum += a[t * n + i + k];
            b[t * n + i] = sum;
        }
    }
}

__global__ void guarded(const int *__restrict__ a, const int *__restrict__ x, int *__restrict__ y, int m, int n)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < m) {
        const int before = y[row];
        int sum = before;
        y[row] = 0;
#pragma unroll 4
        for (int k = 0; k < n; k++)
            sum += a[k * m + row] * x[k];
        sum *= 2;
        y[row] = sum;
    }
}

__global__ void block3(const int *__restrict__ a, int *__restrict__ b, int w, int h, int d)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x > 0 && x < w - 1 && y > 0 && y < h - 1 && z > 0 && z < d - 1) {
        const int at = (z * h + y) * w + x;
        b[at] = a[at - 1] + a[at + 1] + a[at - w] + a[at + w] + a[at - w * h] + a[at + w * h];
    }
}

template <int RADIUS>
__global__ void window(const int *__restrict__ a, int *__restrict__ b, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int s = 0;
    for (int k = -RADIUS; k <= RADIUS; k++)
        if (i + k >= 0 && i + k < n)
            s += a[i + k];
    if (i < n)
        b[i] = s;
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
    const int w = argc > 1 ? atoi(argv[1]) : 37, h = argc > 2 ? atoi(argv[2]) : 11, d = 5, n = w * h;
    std::vector<unsigned char> bytes(n);
    std::vector<int> a(n), a3(n * d), zero(n), zero3(n * d);
    for (int i = 0; i < n; i++) bytes[i] = i * 7 + i / 5;
    for (int i = 0; i < n; i++) a[i] = i * 13 + i / 3;
    for (int i = 0; i < n * d; i++) a3[i] = i * 11 + i / 7;
    int *p = device(a), *p3 = device(a3), *b;
    blur<<<dim3((w + 31) / 32, (h + 3) / 4), dim3(32, 4)>>>(device(bytes), b = device(zero), w, h, 1);
    print("blur", b, n);
    far<<<(n + 63) / 64, 64>>>(p, b = device(zero), n);
    print("far", b, n);
    ahead<<<(w + 63) / 64, 64>>>(p, b = device(zero), w, h);
    print("ahead", b, n);
    guarded<<<(w + 63) / 64, 64>>>(p, p, b = device(zero), w, h);
    print("guarded", b, w);
    block3<<<dim3((w + 7) / 8, (h + 3) / 4, (d + 3) / 4), dim3(8, 4, 4)>>>(p3, b = device(zero3), w, h, d);
    print("block3", b, n * d);
    window<3><<<(n + 63) / 64, 64>>>(p, b = device(zero), n);
    print("window", b, n);
}
