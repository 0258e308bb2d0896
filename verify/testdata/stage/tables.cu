// Tables that are staged in forms that no example has: subscripts that leave them at either end, in
// 32 and in 64 bits, two dimensions, structs, blocks of two and of three dimensions and of several
// shapes, an early return, other tables in another launch, tables that the host or a kernel writes
// between launches, a table read by __ldg, a subscript with an effect, shared memory that is there.

#include <cstdio>
#include <cstdlib>
#include <vector>

struct Pair {
    int a;
    unsigned char b;
};

__constant__ int codes[256];
__device__ const unsigned char squares[] = {0, 1, 4, 9, 16, 25, 36, 49};
__device__ int changing[32];
__constant__ Pair pairs[64];
__constant__ short grid[4][24];

// Beyond either end there is 0 in what is read.
__global__ void beyond(const int *__restrict__ in, int *__restrict__ out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int sum = 0;
    for (int k = 0; k < 8; k++) {
        const int at = in[i] + k - 4;
        const long long far = 2 * (long long)at;
        if (at >= 0 && at < 256)
            sum += codes[at] + (far < 256 ? codes[far] : 0);
    }
    out[i] = sum;
}

// The subscript leaves the window of the table that is copied, not the table.
__global__ void window(const unsigned char *__restrict__ in, int *__restrict__ out, const int *__restrict__ table, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = 0;
    for (int k = 0; k < 8 && i < n; k++)
        sum = sum * 3 + table[(in[i] * (k + 1)) % 40u] + __ldg(&table[in[i] & 15]);
    if (i < n)
        out[i] = sum;
}

__global__ void letters(const unsigned char *__restrict__ in, int *__restrict__ out, int w, int h)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    int sum = 0, c = in[y * w + x];
    for (int k = 0; k < 4; k++) {
        sum += grid[c & 3][(c >> 3) % 24] + squares[squares[c & 7] & 7];
        sum ^= pairs[c++ & 63].a;
        sum += pairs[c & 63].b;
    }
    out[y * w + x] = sum;
}

__global__ void cube(const int *__restrict__ in, int *__restrict__ out, int n)
{
    __shared__ int mine[64];
    const int t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    const int i = blockIdx.x * blockDim.x * blockDim.y * blockDim.z + t;
    mine[t] = i < n ? in[i] : 0;
    __syncthreads();
    int sum = 0;
    for (int k = 0; k < 4; k++)
        sum += changing[(mine[t] + mine[63 - t] + k) & 31];
    if (i < n)
        out[i] = sum;
}

__global__ void renew(int by)
{
    changing[threadIdx.x] = changing[threadIdx.x] * by + threadIdx.x;
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
    std::vector<unsigned char> bytes(n);
    std::vector<int> a(n), zero(n), first(256), second(64);
    std::vector<Pair> two(64);
    std::vector<short> rows(4 * 24);
    for (int i = 0; i < n; i++) bytes[i] = i * 7 + i / 5;
    for (int i = 0; i < n; i++) a[i] = (i * 13 + i / 3) % 300 - 20;
    for (int i = 0; i < 256; i++) first[i] = i * i + 5;
    for (int i = 0; i < 64; i++) second[i] = 1000 - i * i;
    for (int i = 0; i < 64; i++) two[i] = {i * 17, (unsigned char)(i * 5)};
    for (int i = 0; i < 4 * 24; i++) rows[i] = i * 19 % 101;
    cudaMemcpyToSymbol(codes, first.data(), 256 * sizeof(int));
    cudaMemcpyToSymbol(pairs, two.data(), 64 * sizeof(Pair));
    cudaMemcpyToSymbol(grid, rows.data(), 4 * 24 * sizeof(short));
    int *b, *large, *small;
    cudaMalloc(&large, 256 * sizeof(int));
    cudaMalloc((void **)&small, 40 * sizeof(int));
    cudaMemcpy(large, first.data(), 256 * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(small, second.data(), 40 * sizeof(int), cudaMemcpyHostToDevice);
    beyond<<<(n + 63) / 64, 64>>>(device(a), b = device(zero), n);
    print("beyond", b, n);
    window<<<(n + 63) / 64, 64>>>(device(bytes), b = device(zero), large, n);
    print("large", b, n);
    window<<<(n + 31) / 32, 32>>>(device(bytes), b = device(zero), small, n);
    print("small", b, n);
    letters<<<dim3((w + 15) / 16, (h + 7) / 8), dim3(16, 8)>>>(device(bytes), b = device(zero), w, h);
    print("letters", b, n);
    for (int round = 0; round < 3; round++) {
        cube<<<(n + 63) / 64, dim3(4, 4, 4)>>>(device(a), b = device(zero), n);
        print("cube", b, n);
        renew<<<1, 32>>>(round + 2);
        for (int i = 0; i < 256; i++) first[i] += round * i;
        cudaMemcpyToSymbol(codes, first.data(), 256 * sizeof(int));
        beyond<<<(n + 63) / 64, 64>>>(device(a), b = device(zero), n);
        print("beyond", b, n);
    }
    return 0;
}
