// Kernels that read again in loops which count by more than one: each element up to the next iteration's,
// or one of them; with shifts in their subscripts and quotients for bounds.

#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void pairs(const int *__restrict__ x, int *__restrict__ y, int n)
{
    unsigned sum = 0;
    for (int k = 0; k < n; k += 2)
        sum = sum * 3 + x[k] * 5 + x[k + 1];
    y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void secondFirst(const int *__restrict__ x, int *__restrict__ y, unsigned n)
{
    unsigned sum = 0;
    for (unsigned k = 0; k < n; k += 2u)
        sum = sum * 3 + x[(size_t)k + 1] * 5 + x[k];
    y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void everyThird(const int *__restrict__ x, int *__restrict__ y, int last)
{
    unsigned sum = 0;
    for (int k = 1; k <= last; k += 3)
        sum = sum * 7 + x[k + 2];
    y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void byBlock(const int *__restrict__ x, int *__restrict__ y, int n)
{
    unsigned sum = 0;
    for (int k = 0; k < n; k += blockDim.x)
        sum = sum * 5 + x[k];
    y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void shifted(const int *__restrict__ x, int *__restrict__ y, int n)
{
    unsigned sum = 0;
    for (int k = 0; k < n / 4; k++)
        sum = sum * 5 + x[(k << 2) + 1];
    y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void onlyEven(const int *__restrict__ x, int *__restrict__ y, int n)
{
    unsigned sum = 0;
    for (int k = 0; k < n; k += 2) {
        if (k == 4)
            continue;
        sum = sum * 5 + x[k];
    }
    y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void outer(const int *__restrict__ x, int *__restrict__ y, int n, int from)
{
    unsigned sum = 0;
    for (int k = from; k < n; k += 4)
        for (int j = 0; j < 4; j++)
            sum = sum * 3 + x[k + j];
    y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void fixed(const int *__restrict__ x, int *__restrict__ y)
{
    unsigned sum = 0;
    for (int k = 0; k < 255; k += 2)
        sum = sum * 9 + x[k] * 3 + x[k + 1];
    y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void product(const int *__restrict__ a, const int *__restrict__ b, int *__restrict__ c, int m, int n, int l)
{
    const int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m || col >= l)
        return;
    unsigned sum = 0;
    for (int k = 0; k < n; k += 4) {
        sum = sum * 3 + a[row * n + k] * b[k * l + col];
        sum = sum * 3 + a[row * n + k + 1] * b[(k + 1) * l + col];
        sum = sum * 3 + a[row * n + k + 2] * b[(k + 2) * l + col];
        sum = sum * 3 + a[row * n + k + 3] * b[(k + 3) * l + col];
    }
    c[row * l + col] = sum;
}

__global__ void ownAndNext(const int *__restrict__ x, int *__restrict__ y, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n - 2) {
        unsigned sum = x[i] * 2;
        for (int j = 0; j < 3; j++)
            sum = sum * 3 + x[i + j];
        y[i] = sum;
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
    const int m = argc > 1 ? atoi(argv[1]) : 77, n = argc > 2 ? atoi(argv[2]) : 150;
    const int blocks = (m + 63) / 64, threads = blocks * 64, whole = (n + 3) / 4 * 4;
    std::vector<int> x(whole), up(n % 2 ? n + 1 : n), short2(n), table(256), a(m * whole), b(whole * 9), zero(threads), pixels(m * 9);
    for (size_t i = 0; i < x.size(); i++) x[i] = i * 7 + i / 5;
    for (size_t i = 0; i < up.size(); i++) up[i] = i * 11 + i / 3;
    for (size_t i = 0; i < short2.size(); i++) short2[i] = i * 5 + i / 7;
    for (size_t i = 0; i < table.size(); i++) table[i] = i * 3 + i / 9;
    for (size_t i = 0; i < a.size(); i++) a[i] = i * 13 + i / 3;
    for (size_t i = 0; i < b.size(); i++) b[i] = i * 17 + i / 2;
    int *px = device(x), *pup = device(up), *ps = device(short2), *pt = device(table), *pa = device(a), *pb = device(b), *y;
    pairs<<<blocks, 64>>>(pup, y = device(zero), n);
    print("pairs", y, threads);
    secondFirst<<<blocks, 64>>>(pup, y = device(zero), n);
    print("secondFirst", y, threads);
    everyThird<<<blocks, 64>>>(ps, y = device(zero), n - 3);
    print("everyThird", y, threads);
    byBlock<<<blocks * 4, 16>>>(ps, y = device(zero), n);
    print("byBlock", y, threads);
    shifted<<<blocks, 64>>>(ps, y = device(zero), n);
    print("shifted", y, threads);
    onlyEven<<<blocks, 64>>>(ps, y = device(zero), n);
    print("onlyEven", y, threads);
    outer<<<blocks, 64>>>(px, y = device(zero), n, 0);
    print("outer", y, threads);
    outer<<<blocks, 64>>>(px, y = device(zero), n, 4);
    print("outer", y, threads);
    fixed<<<blocks, 64>>>(pt, y = device(zero));
    print("fixed", y, threads);
    std::vector<int> points(n);
    ownAndNext<<<(n + 63) / 64, 64>>>(ps, y = device(points), n);
    print("ownAndNext", y, n);
    product<<<dim3((9 + 7) / 8, (m + 3) / 4), dim3(8, 4)>>>(pa, pb, y = device(pixels), m, whole, 9);
    print("product", y, m * 9);
    return 0;
}
