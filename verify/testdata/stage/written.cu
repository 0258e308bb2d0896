// Kernels that stage elements of an array which they write elsewhere.

#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void row(int *__restrict__ a, int i, int n)
{
    int j = i + (int)(blockIdx.x * blockDim.x + threadIdx.x);
    int sum;
    int k;

    if (j < n) {
        sum = a[i * n + j];
        for (k = 0; k < i; k++)
            sum = sum * 3 + a[i * n + k] * a[k * n + j];
        a[i * n + j] = sum;
    }
}

__global__ void column(int *__restrict__ a, int i, int n)
{
    int j = i + 1 + (int)(blockIdx.x * blockDim.x + threadIdx.x);
    int sum;
    int k;

    if (j < n) {
        sum = a[j * n + i];
        for (k = 0; k < i; k++)
            sum = sum * 3 + a[j * n + k] * a[k * n + i];
        a[j * n + i] = sum + a[i * n + i];
    }
}

__global__ void behind(int *__restrict__ a, int n, int m)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int sum = 0;
    for (int k = 0; k < m; k++)
        sum = sum * 5 + a[n + k];
    a[i] = sum;
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
    const int n = argc > 1 ? atoi(argv[1]) : 77, m = argc > 2 ? atoi(argv[2]) : 40;
    std::vector<int> a(n * n), b(n + m);
    for (size_t i = 0; i < a.size(); i++) a[i] = i * 7 + i / 5;
    for (size_t i = 0; i < b.size(); i++) b[i] = i * 11 + i / 3;
    int *pa = device(a), *pb = device(b);
    for (int i = 0; i < n; i += m) {
        row<<<(n - i + 31) / 32, 32>>>(pa, i, n);
        column<<<(n - i + 31) / 32, 32>>>(pa, i, n);
    }
    print("row and column", pa, a.size());
    behind<<<(n + 31) / 32, 32>>>(pb, n, m);
    print("behind", pb, b.size());
    return 0;
}
