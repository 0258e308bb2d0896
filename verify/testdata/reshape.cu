// Kernels that ask for the number of their thread alone, each place of which shows how often and by whom it was written.
#include <cstdio>
#include <cstdlib>

#define PLACE (blockIdx.x * blockDim.x + threadIdx.x)

__global__ void bound(int *out, int n) {
    int i = PLACE;
    if (i >= n) return;
    out[i] += i * 7 % 13 + 1;
}

// No bound: as many threads as were launched.
__global__ void unbounded(int *out, int *count) {
    out[threadIdx.x + __umul24(blockIdx.x, blockDim.x)] += 3;
    atomicAdd(count, 1);
}

// Each thread has a sum of its own, which depends on how many there are.
__global__ void __launch_bounds__(96) stride(const int *a, int *out, int n) {
    const unsigned step = blockDim.x * gridDim.x;
    int sum = 0;
    for (int i = PLACE; i < n; i += step) sum += a[i] * 3 + sum % 5;
    out[PLACE] += sum;
}

__global__ void image(int *out, int w, int h) {
    const int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * blockDim.x + tx, y = blockIdx.y * blockDim.y + ty;
    if (x < w && y < h) out[y * w + x] += x + 100 * y + blockIdx.z;
}

// Rows of blocks.
template <class T> __global__ void rows(T *out, unsigned n) {
    unsigned row = blockIdx.y * gridDim.x + blockIdx.x;
    unsigned i = row * blockDim.x + threadIdx.x;
    if (i < n) out[i] += i + blockIdx.y + gridDim.y;
}

int main(int argc, char **args) {
    const int n = atoi(args[1]), size = 8192;
    static int host[size];
    int *a, *out, *count;
    cudaMalloc(&a, sizeof host);
    cudaMalloc(&out, 5 * sizeof host);
    cudaMalloc(&count, sizeof(int));
    for (int i = 0; i < size; ++i) host[i] = i * 5 % 11;
    cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemset(out, 0, 5 * sizeof host);
    cudaMemset(count, 0, sizeof(int));
    bound<<<(n + 255) / 256, 256>>>(out, n);
    printf("%d\n", cudaGetLastError());
    for (int block = 8; block <= 96; block *= 3) bound<<<(n + block - 1) / block, block>>>(out, n);
    printf("%d\n", cudaGetLastError());
    unbounded<<<5, 64>>>(out + size, count);
    unbounded<<<n % 7 + 1, 48>>>(out + size, count);
    stride<<<6, 32>>>(a, out + 2 * size, n);
    stride<<<n % 5 + 2, 96>>>(a, out + 2 * size, n);
    bound<<<3, 1025>>>(out, n);  // fails, and must
    printf("%d\n", cudaGetLastError());
    dim3 block(16, 16), grid(5, 3, 2);
    image<<<grid, block>>>(out + 3 * size, n % 90, 33);
    image<<<dim3(4, 2), dim3(8, 24)>>>(out + 3 * size, 19, 33);
    rows<<<dim3(n / 64 + 1, 3), 64>>>(out + 4 * size, n);
    if (n > 3)
        rows<int><<<dim3(7, 2), 40>>>(out + 4 * size, n);
    for (int k = 0; k < 5; ++k) {
        cudaMemcpy(host, out + k * size, sizeof host, cudaMemcpyDeviceToHost);
        unsigned sum = 0;
        for (int i = 0; i < size; ++i) sum = sum * 31 + host[i];
        printf("%u\n", sum);
    }
    cudaMemcpy(host, count, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d threads\n", host[0]);
}
