// Kernels whose loads run under conditions of their own, or choose their subscripts: neighbours
// of a line and of a picture, whole and part, of threads that stay and that leave, far ones, some
// that data decides, in a loop over planes.

#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void sides(const int *__restrict__ a, int *__restrict__ b, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int left = i > 0 ? a[i - 1] : 7;
    const int right = i < n - 1 ? a[i + 1] : 9;
    b[i] = left + 2 * a[i] + 4 * right;
}

__global__ void cross(const int *__restrict__ a, int *__restrict__ b, int w, int h)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) {
        int sum = a[y * w + x];
        if (x > 0)
            sum += a[y * w + x - 1] * 2;
        if (x < w - 1)
            sum += a[y * w + x + 1] * 3;
        if (y > 0)
            sum += a[(y - 1) * w + x] * 5;
        if (y < h - 1)
            sum += a[(y + 1) * w + x] * 7;
        b[y * w + x] = sum;
    }
}

__global__ void corners(const int *__restrict__ a, int *__restrict__ b, int w, int h)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    const int top = y != 0, bottom = y != h - 1;
    int sum = a[y * w + x];
    if (y != 0 && x != 0) sum += a[(y - 1) * w + x - 1];
    if (y != 0) sum += 2 * a[(y - 1) * w + x];
    if (y != 0 && x != w - 1) sum += 3 * a[(y - 1) * w + x + 1];
    if (x != 0) sum += 4 * a[y * w + x - 1];
    if (x != w - 1) sum += 5 * a[y * w + x + 1];
    if (y != h - 1 && x != 0) sum += 6 * a[(y + 1) * w + x - 1];
    if (y != h - 1) sum += 7 * a[(y + 1) * w + x];
    if (y != h - 1 && x != w - 1) sum += 8 * a[(y + 1) * w + x + 1];
    b[y * w + x] = sum + top + bottom;
}

__global__ void clamped(const int *__restrict__ a, int *__restrict__ b, int w, int h)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    const int west = x > 0 ? x - 1 : 0, east = min(x + 1, w - 1);
    const int north = max(y - 1, 0), south = y == h - 1 ? y : y + 1;
    b[y * w + x] = 4 * a[y * w + x] + 2 * a[y * w + west] - a[y * w + east] + 3 * a[north * w + x] - 5 * a[south * w + x];
}

__global__ void whole(const int *__restrict__ a, int *__restrict__ b, int w)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    const int n = gridDim.x * blockDim.x;
    const int W = c == 0 ? c : c - 1;
    b[c] = a[c] - a[W];
    if (c < n - 2)
        b[c] += a[c + 2] * w;
}

__global__ void decided(const int *__restrict__ a, const int *__restrict__ mask, int *__restrict__ b, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = 0;
    if (i < n) {
        sum = a[i];
        if (i >= 3 && mask[i] % 2)
            sum += a[i - 3];
        if (i >= 3)
            sum += 5 * a[i - 3];
        if (i + 2 < n)
            sum += 3 * a[i + 2];
        if (i + 1 < n && mask[i] % 3)
            sum += 11 * a[i + 1];
        b[i] = sum;
    }
}

__global__ void planes(const int *__restrict__ a, int *__restrict__ b, int w, int h, int d)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    for (int z = 0; z < d; z++) {
        const int at = (z * h + y) * w + x;
        int sum = a[at];
        sum += x > 0 ? a[at - 1] : 1;
        sum += x + 1 < w ? a[at + 1] : 2;
        sum += y > 0 ? a[at - w] : 3;
        sum += y + 1 < h ? a[at + w] : 4;
        b[at] = sum;
    }
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
    const int w = argc > 1 ? atoi(argv[1]) : 37, h = argc > 2 ? atoi(argv[2]) : 11, d = 11, n = w * h;
    const int blocks = (n + 63) / 64;
    std::vector<int> a(n), a3(n * d), full(blocks * 64), zero(n), zero3(n * d), zeros(blocks * 64);
    for (int i = 0; i < n; i++) a[i] = i * 13 + i / 3;
    for (int i = 0; i < n * d; i++) a3[i] = i * 11 + i / 7;
    for (int i = 0; i < blocks * 64; i++) full[i] = i * 17 + i / 5;
    const dim3 grid((w + 15) / 16, (h + 7) / 8), block(16, 8);
    int *p = device(a), *p3 = device(a3), *b;
    sides<<<blocks, 64>>>(p, b = device(zero), n);
    print("sides", b, n);
    cross<<<grid, block>>>(p, b = device(zero), w, h);
    print("cross", b, n);
    corners<<<grid, block>>>(p, b = device(zero), w, h);
    print("corners", b, n);
    clamped<<<grid, block>>>(p, b = device(zero), w, h);
    print("clamped", b, n);
    whole<<<blocks, 64>>>(device(full), b = device(zeros), 3);
    print("whole", b, blocks * 64);
    decided<<<blocks, 64>>>(p, device(full), b = device(zero), n);
    print("decided", b, n);
    planes<<<grid, block>>>(p3, b = device(zero3), w, h, d);
    print("planes", b, n * d);
    return 0;
}
