// Kernels whose guards or texts are not plain: numbers of threads that are compared without a
// sign, counters of an outer loop in a condition, names that hide others, macros, a condition on
// threads that the tile does not tell apart, statements that stay with some threads.

#include <cstdio>
#include <cstdlib>
#include <vector>

#define AT(r, c) ((r) * w + (c))

__global__ void noSign(const int *__restrict__ a, int *__restrict__ b, int n)
{
    const int x = threadIdx.x;
    int s = 0;
    if (threadIdx.y < n)
        for (int k = 0; k < 4; k++) s += a[threadIdx.y * 40 + x + k];
    b[(blockIdx.x * 4 + threadIdx.y) * 32 + x] = s;
}

__global__ void absent(const int *__restrict__ a, int *__restrict__ b, unsigned rows, int n)
{
    const unsigned row = blockIdx.y * blockDim.y + threadIdx.y;
    int s = 0;
    for (int k = 0; k < n; k++)
        if (row < rows) s += a[k];
    b[row * 16 + threadIdx.x] = s;
}

__global__ void outer(const int *__restrict__ a, int *__restrict__ b, int n, int m)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int s = 0;
    for (int r = 0; r < m; r++)
        for (int k = 0; k < n; k++)
            if (r < k && k < i + r) s += a[k];
    if (i < n) b[i] = s;
}

__global__ void hides(const int *__restrict__ a, int *__restrict__ b, int w, int min)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    int s = 0;
    for (int k = -2; k <= 2; k++) {
        const int c = x + k;
        {
            const int x = c;
            if (x >= 0 && x < w) s += a[x] * min;
        }
    }
    if (x < w) b[x] = s;
}

__global__ void macros(const int *__restrict__ a, int *__restrict__ b, int w)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    int s = 0;
    for (int k = -2; k <= 2; k++) {
        const int c = x + k;
        if (c >= 0 && c < w) s += a[AT(0, c) + 0];
    }
    if (x < w) b[x] = s;
}

#define COUNT (N + 4)
#define N 96

__global__ void written(const int *__restrict__ a, const int *__restrict__ c, const int *__restrict__ d, int *__restrict__ b, int w)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    int s = 0;
    for (int k = 0; k < COUNT; k++) s += *(a + k) + __ldg(c + k) * x;
    for (int k = -1; k <= 1; k++) {
        const int at = x + k;
        if (at >= 0 && at < w) s += d[AT(0, at)];
    }
    if (x < w) b[x] = s;
}

__global__ void between(const int *__restrict__ a, int *__restrict__ b, int n, int m)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int s = 0;
    if (i < n) {
        for (int j = 0; j < m; j++) {
            const int t = j * n;
            s += b[i];
            for (int k = 0; k < n; k++) s += a[t + k];
            s *= 3;
        }
        b[i] = s;
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
    const int n = argc > 1 ? atoi(argv[1]) : 77, m = argc > 2 ? atoi(argv[2]) : 3;
    std::vector<int> a(n), tall(n * m), zero(n), block(256), table(4 * 40);
    for (int i = 0; i < n; i++) a[i] = i * 13 + i / 3;
    for (int i = 0; i < n * m; i++) tall[i] = i * 7 + i / 5;
    for (int i = 0; i < 160; i++) table[i] = i * 3 + 1;
    const int blocks = (n + 63) / 64;
    int *p = device(a), *b;
    for (int rows = -1; rows < 5; rows += 3) {
        noSign<<<2, dim3(32, 4)>>>(device(table), b = device(block), rows);
        print("noSign", b, 256);
    }
    absent<<<dim3(1, 2), dim3(16, 8)>>>(p, b = device(block), 5, n);
    print("absent", b, 256);
    outer<<<blocks, 64>>>(p, b = device(zero), n, m);
    print("outer", b, n);
    hides<<<blocks, 64>>>(p, b = device(zero), n, 3);
    print("hides", b, n);
    macros<<<blocks, 64>>>(p, b = device(zero), n);
    print("macros", b, n);
    std::vector<int> whole(N + 4, 3);
    for (int i = 0; i < N + 4; i++) whole[i] = i ^ 5;
    written<<<blocks, 64>>>(device(whole), device(whole), p, b = device(zero), n);
    print("written", b, n);
    between<<<blocks, 64>>>(device(tall), b = device(a), n, m);
    print("between", b, n);
}
