// Kernels whose tiles can be copied in vectors: what is left at the end of a loop, rows of a known
// length, all types of elements, neighbours in a column.

#include <cstdio>
#include <cstdlib>
#include <vector>

#define WIDTH 48

__global__ void sum(const int *x, int *y, int n)
{
    unsigned s = 0;
    for (int k = 0; k < n; k++)
        s = s * 3 + x[k];
    y[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

__global__ void toTheLast(const float *x, int *y, int last)
{
    unsigned s = 0;
    for (int k = 4; k <= last; k++)
        s = s * 5 + (int)__ldg(&x[k]);
    y[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

__global__ void fours(const short *x, int *y, int m)
{
    unsigned s = 0;
    for (int k = 0; k < 4 * m; k++)
        s = s * 7 + x[k];
    y[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

__global__ void bytes(const unsigned char *x, int *y, int n)
{
    unsigned s = 0;
    for (unsigned k = 0; k < n; k++)
        s = s * 9 + x[k];
    y[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

__global__ void inside(const int *x, int *y, int n, int most)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= most)
        return;
    unsigned s = 0;
    for (int k = 0; k < n; k++)
        if (k >= 8)
            s = s * 3 + x[k];
    y[i] = s;
}

__global__ void product(const int *a, const int *b, int *c, int m, int l)
{
    const int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m || col >= WIDTH)
        return;
    unsigned s = 0;
    for (int k = 0; k < l * 4; k++)
        s = s * 3 + a[row * l * 4 + k] * b[k * WIDTH + col];
    c[row * WIDTH + col] = s;
}

__global__ void column(const int *in, int *out, int h)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < WIDTH && y > 0 && y < h - 1)
        out[y * WIDTH + x] = in[(y - 1) * WIDTH + x] + 3 * in[y * WIDTH + x] + 5 * in[(y + 1) * WIDTH + x];
}

__global__ void planes(const int *in, int *out, int d)
{
    const int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (z > 0 && z < d - 1) {
        const int at = (z * 4 + threadIdx.y) * 8 + threadIdx.x;
        out[at] = in[at - 32] + 3 * in[at] + 5 * in[at + 32];
    }
}

__global__ void nearest(const float *centre, int *out, int centres)
{
    int best = 0;
    float least = 1e30f;
    for (int c = 0; c < centres; c++) {
        float far = 0;
        for (int d = 0; d < 4; d++)
            far += (centre[c * 4 + d] - threadIdx.x) * (centre[c * 4 + d] - threadIdx.x);
        if (far < least) {
            least = far;
            best = c;
        }
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = best;
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
    const int blocks = (m + 63) / 64, threads = blocks * 64, l = n / 16 + 1;
    std::vector<int> x(n), a(m * l * 4), b(l * 4 * WIDTH), zero(threads), image(m * WIDTH), space(n * 32);
    std::vector<float> f(n < 5 ? 5 : n), centre(4 * m);
    std::vector<short> s(n / 4 * 4);
    std::vector<unsigned char> u(n);
    for (size_t i = 0; i < x.size(); i++) x[i] = i * 7 + i / 5;
    for (size_t i = 0; i < a.size(); i++) a[i] = i * 13 + i / 3;
    for (size_t i = 0; i < b.size(); i++) b[i] = i * 17 + i / 2;
    for (size_t i = 0; i < image.size(); i++) image[i] = i * 11 + i / 7;
    for (size_t i = 0; i < space.size(); i++) space[i] = i * 5 + i / 3;
    for (size_t i = 0; i < f.size(); i++) f[i] = i * 3 + i / 9;
    for (size_t i = 0; i < centre.size(); i++) centre[i] = (i * 37) % 64;
    for (size_t i = 0; i < s.size(); i++) s[i] = i * 19 + i / 4;
    for (size_t i = 0; i < u.size(); i++) u[i] = i * 23 + i / 6;
    int *px = device(x), *pa = device(a), *pb = device(b), *pi = device(image), *ps = device(space);
    float *pf = device(f), *pc = device(centre);
    short *pfours = device(s);
    unsigned char *pu = device(u);
    int *y = device(zero), *c = device(image), *v = device(space);
    sum<<<blocks, 64>>>(px, y, n);
    print("sum", y, threads);
    toTheLast<<<blocks, 64>>>(pf, y, n - 1);
    print("toTheLast", y, threads);
    fours<<<blocks, 64>>>(pfours, y, n / 4);
    print("fours", y, threads);
    bytes<<<blocks, 64>>>(pu, y, n);
    print("bytes", y, threads);
    inside<<<blocks, 64>>>(px, y, n, m);
    print("inside", y, threads);
    nearest<<<blocks, 64>>>(pc, y, m);
    print("nearest", y, threads);
    product<<<dim3((WIDTH + 31) / 32, (m + 3) / 4), dim3(32, 4)>>>(pa, pb, c, m, l);
    print("product", c, m * WIDTH);
    column<<<dim3((WIDTH + 31) / 32, (m + 3) / 4), dim3(32, 4)>>>(pi, c, m);
    print("column", c, m * WIDTH);
    planes<<<dim3(1, 1, (n + 3) / 4), dim3(8, 4, 4)>>>(ps, v, n);
    print("planes", v, n * 32);
    return 0;
}
