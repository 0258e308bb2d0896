// Loops that stage by hand, a strip in each iteration: several strips can be staged at a time.

#include <cstdio>
#include <cstdlib>
#include <vector>

#define TILE 8

// The product of two matrices.
__global__ void product(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int m, int n, int l)
{
    __shared__ float rows[TILE][TILE];
    __shared__ float cols[TILE][TILE + 1];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
    float sum = 0;
    for (int t = 0; t < (n + TILE - 1) / TILE; ++t) {
        if (row < m && t * TILE + tx < n)
            rows[ty][tx] = a[row * n + t * TILE + tx];
        else
            rows[ty][tx] = 0;
        const int k = t * TILE + ty;
        cols[ty][tx] = k < n && col < l ? b[k * l + col] : 0;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; ++k) {
            sum += rows[ty][k] * cols[k][tx];
        }
        __syncthreads();
    }
    if (row < m && col < l)
        c[row * l + col] = sum;
}

// All bodies against all others, with a bound that is a number.
template <int STRIPS>
__global__ void pull(const int *__restrict__ x, int *__restrict__ y)
{
    __shared__ int others[32], weights[32];
    const int mine = x[blockIdx.x * 32 + threadIdx.x];
    int sum = 0, last = 0;
    for (int t = 0; t < STRIPS; t++)
    {
        others[threadIdx.x] = x[t * 32 + threadIdx.x];
        weights[31 - threadIdx.x] = x[t * 32 + threadIdx.x] & 7;
        __syncthreads();
        for (int i = 0; i < 32; i++)
            sum = sum * 3 + (others[i] - mine) * weights[i] + last;
        last = others[5];
        __syncthreads();
    }
    y[blockIdx.x * 32 + threadIdx.x] = sum;
}

template <typename T>
static T *device(const std::vector<T> &v)
{
    T *p;
    cudaMalloc(&p, v.size() * sizeof(T));
    cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice);
    return p;
}

template <typename T>
static void print(const char *name, T *p, size_t n)
{
    std::vector<T> v(n);
    cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost);
    unsigned sum = 0;
    for (T x : v) sum = sum * 31 + (unsigned)(int)x;
    printf("%s %u\n", name, sum);
}

int main(int argc, char **argv)
{
    const int m = argc > 1 ? atoi(argv[1]) : 37, n = argc > 2 ? atoi(argv[2]) : 11, l = argc > 3 ? atoi(argv[3]) : 29;
    std::vector<float> a(m * n), b(n * l), c(m * l);
    for (int i = 0; i < m * n; i++) a[i] = i % 17;
    for (int i = 0; i < n * l; i++) b[i] = i % 13;
    std::vector<int> x(96);
    for (int i = 0; i < 96; i++) x[i] = i * 7 % 31;
    float *pc = device(c);
    product<<<dim3((l + TILE - 1) / TILE, (m + TILE - 1) / TILE), dim3(TILE, TILE)>>>(device(a), device(b), pc, m, n, l);
    print("product", pc, m * l);
    int *y = device(x);
    pull<3><<<3, 32>>>(device(x), y);
    print("pull", y, 96);
    return 0;
}
