// Kernels that read neighbours whose subscripts are clamped, mirrored or wrapped around, or through
// pointers of their own.

#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void blur(const int *__restrict__ in, int *__restrict__ out, int w, int h)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    int s = 0;
    for (int dy = -2; dy <= 2; dy++)
        for (int dx = -2; dx <= 2; dx++) {
            const int yy = min(max(y + dy, 0), h - 1);
            const int xx = x + dx < 0 ? 0 : (x + dx >= w ? w - 1 : x + dx);
            s += in[yy * w + xx] * (dy * 5 + dx + 13);
        }
    out[y * w + x] = s;
}

__global__ void periodic(const int *__restrict__ in, int *__restrict__ out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int s = 0;
    for (int k = -3; k <= 3; k++)
        s += in[(i + k + 3 * n) % n] * (k + 4);
    if (i < n) out[i] = s;
}

__global__ void mirrored(const int *__restrict__ in, int *__restrict__ out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int s = 0;
    for (int k = -3; k <= 3; k++) {
        const int j = i + k;
        const int m = j < 0 ? -j - 1 : j;
        s += in[max(0, m >= n ? 2 * n - 1 - m : m)] * (k + 4);
    }
    out[i] = s;
}

__global__ void rows(const int *__restrict__ a, int *__restrict__ b, int w, int h)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || x >= w - 1 || y >= h) return;
    const int *row = a + y * w;
    b[y * w + x] = row[x - 1] + 3 * row[x] + 5 * *(row + x + 1);
}

__global__ void product(const int *__restrict__ a, const int *__restrict__ b, int *__restrict__ c, int m, int n, int l)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || col >= l) return;
    const int *of_row = &a[row * n];
    const int *from = b;
    const int *of_col = from + col;
    int s = 0;
    for (int k = 0; k < n; k++)
        s += of_row[k] * of_col[k * l];
    c[row * l + col] = s;
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
    std::vector<int> a(n), zero(n), square(w * w);
    for (int i = 0; i < n; i++) a[i] = i * 13 + i / 3;
    const dim3 grid((w + 15) / 16, (h + 7) / 8), block(16, 8);
    int *p = device(a), *b;
    blur<<<grid, block>>>(p, b = device(zero), w, h);
    print("blur", b, n);
    periodic<<<(n + 63) / 64, 64>>>(p, b = device(zero), n);
    print("periodic", b, n);
    mirrored<<<(n + 63) / 64, 64>>>(p, b = device(zero), n);
    print("mirrored", b, n);
    rows<<<grid, block>>>(p, b = device(zero), w, h);
    print("rows", b, n);
    product<<<dim3((w + 7) / 8, (w + 7) / 8), dim3(8, 8)>>>(p, p, b = device(square), w, h, w);
    print("product", b, w * w);
    return 0;
}
