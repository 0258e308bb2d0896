// Kernels that read again through pointers to rows, and under macros whose definition the build chooses.

#include <cstdio>
#include <cstdlib>
#include <vector>

#define W 40
#define H 3

#ifdef FIXED_BOUNDS
#define BOUND(fixed, given) fixed
#else
#define BOUND(fixed, given) given
#endif
#define ROWS BOUND(W, h)
#define COLUMNS BOUND(W, w)

__global__ void cross(const int (*__restrict__ a)[W], int (*__restrict__ b)[W], int h, int w)
{
    const int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < ROWS - 1 && j > 0 && j < COLUMNS - 1)
        b[i][j] = a[i][j] * 3 + a[i - 1][j] * 5 + a[1 + i][j] * 7 + a[i][j - 1] * 11 + a[i][j + 1] * 13;
}

__global__ void square(const int a[][W], int (*__restrict__ b)[W], int h, int w)
{
    const int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < h - 1 && j < w - 1)
        b[i][j] = a[i][j] * 3 + a[i + 1][j] * 5 + __ldg(&a[i][j + 1]) * 7 + *(a[i + 1] + j + 1) * 11;
}

__global__ void product(const int (*__restrict__ a)[W], const int (*__restrict__ b)[W], int (*__restrict__ c)[W], int h, int w)
{
    const int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= h || j >= w)
        return;
    unsigned sum = 0;
    for (int k = 0; k < COLUMNS; k++)
        sum = sum * 3 + a[i][k] * b[k][j];
    c[i][j] = sum;
}

__global__ void planes(const int (*__restrict__ a)[H][W], int (*__restrict__ b)[W], int h, int w)
{
    const int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < h - 2 && j < w) {
        unsigned sum = 0;
        for (int k = 0; k < H; k++)
            sum = sum * 3 + a[i][k][j] + a[i + 1][k][j] * 5 + a[i + 2][k][j] * 7;
        b[i][j] = sum;
    }
}

__global__ void ownRow(const int (*__restrict__ a)[W], int (*__restrict__ b)[W], int h, int w)
{
    const int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < h && j < w - 2) {
        const int *row = a[i];
        b[i][j] = row[j] * 3 + row[j + 1] * 5 + row[j + 2] * 7;
    }
}

__global__ void cast(const int *__restrict__ a, int *__restrict__ b, int h, int w)
{
    const int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < h && j < w - 2)
        ((int (*)[W])b)[i][j] = ((const int (*)[W])a)[i][j] * 3 + ((const int (*)[W])a)[i][j + 1] * 5 + ((const int (*)[W])a)[i][j + 2] * 7;
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
    typedef int (*rows)[W];
    const int h = argc > 1 ? atoi(argv[1]) : 37, w = argc > 2 ? atoi(argv[2]) : 40;
    std::vector<int> a(h * W), b(W * W), c(h * H * W), zero(h * W);
    for (size_t i = 0; i < a.size(); i++) a[i] = i * 7 + i / 5;
    for (size_t i = 0; i < b.size(); i++) b[i] = i * 11 + i / 3;
    for (size_t i = 0; i < c.size(); i++) c[i] = i * 5 + i / 7;
    int *pa = device(a), *pb = device(b), *pc = device(c), *y;
    const dim3 block(16, 4), grid((w + 15) / 16, (h + 3) / 4);
    cross<<<grid, block>>>((rows)pa, (rows)(y = device(zero)), h, w);
    print("cross", y, zero.size());
    square<<<grid, block>>>((rows)pa, (rows)(y = device(zero)), h, w);
    print("square", y, zero.size());
    product<<<grid, block>>>((rows)pa, (rows)pb, (rows)(y = device(zero)), h, w);
    print("product", y, zero.size());
    planes<<<grid, block>>>((const int (*)[H][W])pc, (rows)(y = device(zero)), h, w);
    print("planes", y, zero.size());
    ownRow<<<grid, block>>>((rows)pa, (rows)(y = device(zero)), h, w);
    print("ownRow", y, zero.size());
    cast<<<grid, block>>>(pa, y = device(zero), h, w);
    print("cast", y, zero.size());
    return 0;
}
