// Kernels whose threads go on with further rows in steps of the grid: thread blocks copy in each round.

#include <cstdio>
#include <cstdlib>
#include <vector>

#define W 40

__global__ void cross(const int (*__restrict__ a)[W], int (*__restrict__ b)[W], int h, int w)
{
    int j = 1 + blockIdx.x * blockDim.x + threadIdx.x;

    for (int i = 1 + blockIdx.y * blockDim.y + threadIdx.y; i < h - 1; i += gridDim.y * blockDim.y) {
        if (j < w - 1) {
            b[i][j] = a[i][j] * 3 + a[i - 1][j] * 5 + a[1 + i][j] * 7 + a[i][j - 1] * 11 + a[i][j + 1] * 13;
        }
    }
}

__global__ void product(const int (*__restrict__ a)[W], const int (*__restrict__ b)[W], int (*__restrict__ c)[W], int h, int w)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int k;

    for (int i = blockIdx.y * blockDim.y + threadIdx.y; i < h; i += gridDim.y * blockDim.y) {
        if (j < w) {
            c[i][j] = i;
            for (k = 0; k < w; ++k)
                c[i][j] = c[i][j] * 3 + a[i][k] * b[k][j];
        }
    }
}

__global__ void line(const int *__restrict__ a, int *__restrict__ b, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n - 2; i += gridDim.x * blockDim.x) {
        int first = a[i] * 3;
        b[i] = first + a[i + 1] * 5 + a[i + 2] * 7;
    }
}

__global__ void below(const int *__restrict__ a, int *__restrict__ b, int last)
{
    for (int i = 3 + (int)(threadIdx.x + blockDim.x * blockIdx.x); i <= last; i += blockDim.x * gridDim.x)
        {
            b[i] = a[i] * 3 + a[i + 1] * 5 + a[i + 2] * 7;
        }
}

__global__ void box(const int (*__restrict__ a)[6][W], int (*__restrict__ b)[6][W], int d, int w)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;

    for (int z = blockIdx.z * blockDim.z + threadIdx.z; z < d - 1; z += gridDim.z * blockDim.z) {
        for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < 5; y += gridDim.y * blockDim.y) {
            if (x < w - 1) {
                b[z][y][x] = a[z][y][x] * 3 + a[z + 1][y][x] * 5 + a[z][y + 1][x] * 7 + a[z][y][x + 1] * 11;
            }
        }
    }
}

__global__ void sum(const int (*__restrict__ a)[W], const int *__restrict__ v, int *__restrict__ s, int h, int w)
{
    int j;

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < h; i += gridDim.x * blockDim.x) {
        s[i] = 0;
        for (j = 0; j < w; j++)
            s[i] = s[i] * 3 + a[i][j] * v[j];
    }
}

__global__ void edges(const int *__restrict__ a, int *__restrict__ b, int h, int w)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int k;
    int sum;

    for (int i = blockIdx.y * blockDim.y + threadIdx.y; i < h; i += gridDim.y * blockDim.y) {
        if (j < w) {
            k = i * w + j;
            sum = a[k];
            if (i == 0) {
                sum += a[j];
            } else if (i == h - 1) {
                sum += a[(i - 1) * w + j] * 3 + a[k];
            } else {
                sum += a[(i - 1) * w + j] * 5 + a[(i + 1) * w + j] * 7;
            }
            if (j == w - 1) {
                sum += a[k] * 11;
            } else {
                sum += a[i * w + j + 1] * 13;
            }
            b[k] = sum;
        }
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
    typedef int (*rows)[W];
    typedef int (*boxes)[6][W];
    const int h = argc > 1 ? atoi(argv[1]) : 37, w = argc > 2 ? atoi(argv[2]) : 40, d = h / 5 + 1;
    std::vector<int> a(h * W), b(W * W), c(d * 6 * W), v(w), zero(h * W);
    for (size_t i = 0; i < a.size(); i++) a[i] = i * 7 + i / 5;
    for (size_t i = 0; i < b.size(); i++) b[i] = i * 11 + i / 3;
    for (size_t i = 0; i < c.size(); i++) c[i] = i * 5 + i / 7;
    for (size_t i = 0; i < v.size(); i++) v[i] = i * 13 + i / 2;
    int *pa = device(a), *pb = device(b), *pc = device(c), *pv = device(v), *y;
    const dim3 block(16, 4), grid((w + 15) / 16, 2);
    cross<<<grid, block>>>((rows)pa, (rows)(y = device(zero)), h, w);
    print("cross", y, zero.size());
    product<<<grid, block>>>((rows)pa, (rows)pb, (rows)(y = device(zero)), h, w);
    print("product", y, zero.size());
    line<<<2, 32>>>(pa, y = device(zero), h * W);
    print("line", y, zero.size());
    below<<<2, 32>>>(pa, y = device(zero), h * W - 3);
    print("below", y, zero.size());
    box<<<dim3((w + 7) / 8, 1), dim3(8, 4, 4)>>>((boxes)pc, (boxes)(y = device(c)), d, w);
    print("box", y, c.size());
    sum<<<2, 16>>>((rows)pa, pv, y = device(zero), h, w);
    print("sum", y, h);
    std::vector<int> part(a.begin(), a.begin() + h * w);
    edges<<<grid, block>>>(device(part), y = device(zero), h, w);
    print("edges", y, zero.size());
    return 0;
}
