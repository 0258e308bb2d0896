// Kernels that read again in loops of all kinds: to the last iteration, of unsigned and wide
// counters, downwards, with a counter that is declared outside, from where an argument says.

#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void toTheLast(const int *__restrict__ a, const int *__restrict__ x, int *__restrict__ y, int m, int last)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m) return;
    unsigned sum = 0;
    for (int k = 0; k <= last; k++)
        sum = sum * 3 + a[row] * x[k];
    y[row] = sum;
}

__global__ void naturals(const int *__restrict__ x, int *__restrict__ y, unsigned n)
{
    unsigned sum = 0;
    for (unsigned k = 0; k < n; ++k)
        sum = sum * 5 + x[k];
    y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void naturalsToTheLast(const int *__restrict__ x, int *__restrict__ y, int n)
{
    unsigned sum = 0;
    for (unsigned int k = 1; k <= n; ++k)
        sum = sum * 3 + x[k - 1];
    y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void wide(const int *__restrict__ x, int *__restrict__ y, size_t n)
{
    unsigned sum = 0;
    for (size_t k = 0; k < n; k++)
        sum = sum * 7 + x[k];
    y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void wideToInt(const int *__restrict__ x, int *__restrict__ y, int n)
{
    unsigned sum = 0;
    for (long long k = 0; k < n; k++)
        sum = sum * 3 - x[k];
    y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void toUnsigned(const int *__restrict__ x, int *__restrict__ y, unsigned n)
{
    unsigned sum = 0;
    for (int k = 0; k < n; k++)
        sum = sum * 9 - x[k];
    y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void down(const int *__restrict__ x, int *__restrict__ y, int n)
{
    unsigned sum = 0;
    for (int k = n - 1; k >= 0; --k)
        sum = sum * 3 + x[k];
    y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void downTo(const int *__restrict__ x, int *__restrict__ y, int n)
{
    unsigned sum = 0;
    for (int k = n; k > 0; k -= 1)
        sum = sum * 5 + x[k - 1];
    y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void downBelow(const int *__restrict__ x, int *__restrict__ y, int n)
{
    unsigned sum = 0;
    for (long k = n - 1; k > -1; k--)
        sum = sum * 7 + x[k];
    y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void from(const int *__restrict__ x, int *__restrict__ y, int first, int end, int back)
{
    unsigned sum = 0;
    for (int k = first; k < end; k++)
        sum = sum * 3 + x[k + back];
    y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void fromToTheLast(const int *__restrict__ x, int *__restrict__ y, int first, int end, int back)
{
    unsigned sum = 0;
    for (int k = first - 1; k <= end - 2; k++)
        sum = sum * 5 + x[k + 1 + back];
    y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void fromNatural(const int *__restrict__ x, int *__restrict__ y, unsigned first, unsigned end)
{
    unsigned sum = 0;
    for (unsigned k = first; k < end; k++)
        sum = sum * 3 + x[k];
    y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void declaredOutside(const int *__restrict__ a, const int *__restrict__ x, int *__restrict__ y, int rows, int n)
{
    int i, k;
    unsigned sum = 0;
    for (k = 0; k < n; k++)
        sum = sum * 3 + x[k];
    for (i = 0; i < rows; i++) {
        for (k = 0; k < n; k++) {
            sum = sum * 5 + a[i * n + k];
        }
    }
    y[blockIdx.x * blockDim.x + threadIdx.x] = sum + (int)threadIdx.x;
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
    const int blocks = (m + 63) / 64, threads = blocks * 64;
    std::vector<int> a(m * n), x(n), zero(threads);
    for (int i = 0; i < m * n; i++) a[i] = i * 13 + i / 3;
    for (int i = 0; i < n; i++) x[i] = i * 7 + i / 5;
    int *pa = device(a), *px = device(x), *y;
    toTheLast<<<blocks, 64>>>(pa, px, y = device(zero), m, n - 1);
    print("toTheLast", y, threads);
    naturals<<<blocks, 64>>>(px, y = device(zero), n);
    print("naturals", y, threads);
    naturalsToTheLast<<<blocks, 64>>>(px, y = device(zero), n);
    print("naturalsToTheLast", y, threads);
    wide<<<blocks, 64>>>(px, y = device(zero), n);
    print("wide", y, threads);
    wideToInt<<<blocks, 64>>>(px, y = device(zero), n);
    print("wideToInt", y, threads);
    toUnsigned<<<blocks, 64>>>(px, y = device(zero), n);
    print("toUnsigned", y, threads);
    down<<<blocks, 64>>>(px, y = device(zero), n);
    print("down", y, threads);
    downTo<<<blocks, 64>>>(px, y = device(zero), n);
    print("downTo", y, threads);
    downBelow<<<blocks, 64>>>(px, y = device(zero), n);
    print("downBelow", y, threads);
    from<<<blocks, 64>>>(px, y = device(zero), -(n / 2), n - n / 2, n / 2);
    print("from", y, threads);
    from<<<blocks, 64>>>(px, y = device(zero), n, 0, 0);
    print("from", y, threads);
    fromToTheLast<<<blocks, 64>>>(px, y = device(zero), 1 - n / 2, n + 1 - n / 2, n / 2 - 1);
    print("fromToTheLast", y, threads);
    fromNatural<<<blocks, 64>>>(px, y = device(zero), n / 3, n);
    print("fromNatural", y, threads);
    declaredOutside<<<blocks, 64>>>(pa, px, y = device(zero), m > 3 ? 3 : m, n);
    print("declaredOutside", y, threads);
    return 0;
}
