// Stores and loads that are made by other threads of the block in forms that no example has: whole
// blocks that leave, several returns, statements before and behind, loops, blocks that are no
// squares and of three dimensions, along z, elements of 1, 8 and 16 bytes, in place.

#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void leaving(const double *in, double *out, int w, int h, int on)
{
    if (!on) return;
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x >= w) return;
    if (y >= h)
        return;
    double v = in[y * w + x];
    v += 1;
    out[x * h + y] = v * 2;
}

__global__ void bytes(const unsigned char *in, unsigned char *out, int w, int h)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w) {
        const int row = y * w;
        if (y < h) {
            const unsigned char c = in[row + x];
            out[x * h + y] = c * 3 + x;
        }
    }
}

// Each thread goes on with what it has stored.
__global__ void again(const float4 *in, float4 *out, int w, int h)
{
    const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    for (int j = 0; j < 3; j++) {
        if (x < w && y < h)
            out[(j * w + x) * h + y] = in[y * w + x];
        if (x < w && y < h)
            out[(j * w + x) * h + y].w += j;
    }
}

__global__ void deep(const int *in, int *out, int nx, int ny, int nz)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < nx && y < ny && z < nz) {
        int v = in[(z * ny + y) * nx + x];
        out[(x * ny + y) * nz + z] = v + z;
    }
}

// Of one block each: what is stored lies where other threads of it have read.
__global__ void inPlace(int *a)
{
    const int at = blockIdx.x * 256;
    const int v = a[at + threadIdx.y * 16 + threadIdx.x];
    __syncthreads();
    a[at + threadIdx.x * 16 + threadIdx.y] = v;
}

__global__ void down(const int *__restrict__ in, int *__restrict__ out, int w, int h)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= h) return;
    int sum = 0;
    for (int k = 0; k < w; k++)
        sum = sum * 3 + in[x * w + k];
    out[x] = sum;
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
    for (const T &x : v)
        for (size_t i = 0; i < sizeof(T); i++) sum = sum * 31 + ((const unsigned char *)&x)[i];
    printf("%s %u\n", name, sum);
}

int main(int argc, char **argv)
{
    const int w = argc > 1 ? atoi(argv[1]) : 37, h = argc > 2 ? atoi(argv[2]) : 11, d = 5, n = w * h;
    std::vector<double> a(n);
    std::vector<unsigned char> c(n);
    std::vector<float4> f(n);
    std::vector<int> i3(n * d), i2(512);
    for (int i = 0; i < n; i++) a[i] = i * 3;
    for (int i = 0; i < n; i++) c[i] = i * 7 + i / 5;
    for (int i = 0; i < n; i++) f[i] = make_float4(i, i + 1, i + 2, i + 3);
    for (int i = 0; i < n * d; i++) i3[i] = i * 11 + i / 7;
    for (int i = 0; i < 512; i++) i2[i] = i * 5;
    double *pa = device(a);
    leaving<<<dim3((w + 31) / 32, (h + 7) / 8), dim3(32, 8)>>>(device(a), pa, w, h, 1);
    print("leaving", pa, n);
    unsigned char *pc = device(c);
    bytes<<<dim3((w + 7) / 8, (h + 31) / 32), dim3(8, 32)>>>(device(c), pc, w, h);
    print("bytes", pc, n);
    float4 *pf = device(std::vector<float4>(3 * n));
    again<<<dim3((w + 15) / 16, (h + 3) / 4), dim3(16, 4)>>>(device(f), pf, w, h);
    print("again", pf, 3 * n);
    int *p3 = device(i3);
    deep<<<dim3((w + 7) / 8, (h + 1) / 2, (d + 7) / 8), dim3(8, 2, 8)>>>(device(i3), p3, w, h, d);
    print("deep", p3, n * d);
    int *p2 = device(i2);
    inPlace<<<2, dim3(16, 16)>>>(p2);
    print("inPlace", p2, 512);
    int *sums = device(std::vector<int>(h));
    down<<<(h + 63) / 64, 64>>>(device(i3), sums, w, h);
    print("down", sums, h);
    return 0;
}
