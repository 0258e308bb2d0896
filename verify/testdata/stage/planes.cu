// Kernels that go through the depth in a loop and read planes again: stars of one and of two, boxes, loops over
// neighbours with conditions, parts of the depth, a loop to the last, one that goes on, without braces and returns, in an
// outer loop, a number of iterations, elements of a byte and of sixteen.

#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void star(const int *__restrict__ a, int *__restrict__ b, int w, int h, int d)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && x < w - 1 && y > 0 && y < h - 1) {
#pragma unroll 2
        for (int z = 1; z < d - 1; ++z) {
            const int at = (z * h + y) * w + x;
            b[at] = 2 * a[at] + 3 * a[at - 1] + 5 * a[at + 1] + 7 * a[at - w] + 11 * a[at + w] + 13 * a[at - w * h] + 17 * a[at + w * h];
        }
    }
}

__global__ void farStar(const int *__restrict__ a, int *__restrict__ b, int w, int h, int d)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int plane = w * h;
    if (x < 2 || x >= w - 2 || y < 2 || y >= h - 2) return;
    for (int z = 2; z <= d - 3; z++) {
        const int *at = a + z * plane + y * w + x;
        int sum = at[0];
        sum += 2 * at[-1] + 3 * at[1] + 5 * at[-2] + 7 * at[2];
        sum += 11 * at[-w] + 13 * at[w] + 17 * at[-2 * w] + 19 * at[2 * w];
        sum += 23 * at[-plane] + 29 * at[plane] + 31 * at[-2 * plane] + 37 * at[2 * plane];
        b[z * plane + y * w + x] = sum;
    }
}

__global__ void part(const int *__restrict__ a, int *__restrict__ b, int w, int h, int d, int n)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const int first = blockIdx.z * n + 1, end = min(first + n, d - 1);
    if (x > 0 && x < w - 1 && y > 0 && y < h - 1) {
        for (int z = first; z < end; z++) {
            int sum = 0;
            for (int k = -1; k <= 1; k++)
                for (int j = -1; j <= 1; j++) sum = 3 * sum + a[((z + k) * h + y + j) * w + x + j];
            b[(z * h + y) * w + x] = sum;
        }
    }
}

__global__ void padded(const int *__restrict__ a, int *__restrict__ b, int w, int h, int d)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    for (int z = 0; z < d; z++) {
        int sum = 0;
        for (int k = -1; k <= 1; k++)
            for (int j = -1; j <= 1; j++)
                for (int i = -2; i <= 1; i++)
                    if (z + k >= 0 && z + k < d && y + j >= 0 && y + j < h && x + i >= 0 && x + i < w)
                        sum = 3 * sum + a[((z + k) * h + y + j) * w + x + i];
        b[(z * h + y) * w + x] = sum;
    }
}

__global__ void goesOn(const unsigned char *__restrict__ a, int *__restrict__ b, int w, int h, int d)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h - 1) {
        for (int z = 0; z < d - 1; z++) {
            const int at = (z * h + y) * w + x;
            if (w < 3) continue;
            b[at] = a[at] + 2 * a[at + w] + 3 * a[at + w * h] + 5 * a[at + w * h + w];
        }
    }
}

__global__ void whole(const int4 *__restrict__ a, int *__restrict__ b, int steps)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, w = gridDim.x * blockDim.x + 2;
    int sum = 0;
    for (int t = 0; t < steps; t++) {
        for (int z = 0; z < 5; z++)
            sum = 3 * sum + a[z * w + x].x + a[z * w + x + 1].y + a[z * w + x + 2].z + a[(z + 1) * w + x + 1].w;
    }
    b[x] = sum;
}

__global__ void rows(const int *__restrict__ a, int *__restrict__ b, int w, int h, int d)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = threadIdx.y;
    if (x >= w) return;
    int z;
    for (z = 2; z < d; z++)
        if (y < h) b[(z * h + y) * w + x] = a[z * w + x] + 2 * a[(z - 2) * w + x];
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
    const int w = argc > 1 ? atoi(argv[1]) : 37, h = argc > 2 ? atoi(argv[2]) : 11, d = argc > 3 ? atoi(argv[3]) : 7;
    const int n = w * h * d, blocks = (w * h + 63) / 64, wide = 64 * blocks + 2;
    std::vector<int> a(n), zero(n), zeros(64 * blocks);
    std::vector<unsigned char> bytes(n);
    std::vector<int4> fours(6 * wide - 1);  // as many as are read
    for (int i = 0; i < n; i++) a[i] = i * 13 + i / 3, bytes[i] = i * 5 + i / 7;
    for (int i = 0; i < 6 * wide - 1; i++) fours[i] = make_int4(i, i * 3 + 1, i / 5, i * 7 + 2);
    const dim3 grid((w + 15) / 16, (h + 7) / 8), block(16, 8);
    int *p = device(a), *b;
    star<<<grid, block>>>(p, b = device(zero), w, h, d);
    print("star", b, n);
    farStar<<<grid, block>>>(p, b = device(zero), w, h, d);
    print("farStar", b, n);
    part<<<dim3((w + 15) / 16, (h + 7) / 8, (d + 2) / 3), block>>>(p, b = device(zero), w, h, d, 3);
    print("part", b, n);
    padded<<<grid, block>>>(p, b = device(zero), w, h, d);
    print("padded", b, n);
    goesOn<<<grid, block>>>(device(bytes), b = device(zero), w, h, d);
    print("goesOn", b, n);
    whole<<<blocks, 64>>>(device(fours), b = device(zeros), 2);
    print("whole", b, 64 * blocks);
    rows<<<(w + 15) / 16, block>>>(p, b = device(zero), w, h, d);
    print("rows", b, n);
    return 0;
}
