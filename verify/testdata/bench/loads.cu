// Kernels that do little but load, and for comparison two that store or compute, of which one is measured: loads KERNEL REPEATS.
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void strided(const float *in, float *out, int n) {
    const int first = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int i = first; i < n; i += gridDim.x * blockDim.x) sum += in[i];
    out[first] = sum;
}

__global__ void rows(const float *in, float *out, int n) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int i = 0; i < n; i++) sum += in[row * n + i];
    out[row] = sum;
}

__global__ void neighbours(const float *in, float *out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 2 && i < n - 2) out[i] = in[i - 2] + in[i - 1] + in[i] + in[i + 1] + in[i + 2];
}

__global__ void shared(const float *in, float *out) {
    __shared__ float part[256];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = in[i];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 256; k++) sum += part[k];
    out[i] = sum;
}

__global__ void scattered(const int *where, const double *in, double *out, int n) {
    const int first = blockIdx.x * blockDim.x + threadIdx.x;
    double sum = 0;
    for (int k = 0; k < 16; k++) sum += in[where[(first * 16 + k) % n]];
    out[first] = sum;
}

__global__ void stores(float *out, int n) {
    const int first = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = first; i < n; i += gridDim.x * blockDim.x) out[i] = i;
}

__global__ void arithmetic(const float *in, float *out, int n) {
    const int first = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = first; i < n; i += gridDim.x * blockDim.x) {
        float x = in[i];
        for (int k = 0; k < 20; k++) x = x * 0.5f + 1;
        out[i] = x;
    }
}

template <class T> T *copied(const std::vector<T> &values) {
    T *device;
    cudaMalloc(&device, values.size() * sizeof(T));
    cudaMemcpy(device, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
    return device;
}

int main(int, char **argv) {
    const int kernel = atoi(argv[1]), repeats = atoi(argv[2]), n = 1 << 16;
    std::vector<int> order(n);
    for (int i = 0; i < n; i++) order[i] = i * 7919 % n;
    const int *where = copied(order);
    const float *in = copied(std::vector<float>(n, 1.5f));
    const double *doubles = copied(std::vector<double>(n, 1.5));
    float *out = copied(std::vector<float>(n));
    double *sums = copied(std::vector<double>(n));
    for (int i = 0; i < repeats; i++) {
        switch (kernel) {
        case 0: strided<<<16, 256>>>(in, out, n); break;
        case 1: rows<<<1, 256>>>(in, out, n / 256); break;
        case 2: neighbours<<<n / 256, 256>>>(in, out, n); break;
        case 3: shared<<<8, 256>>>(in, out); break;
        case 4: scattered<<<16, 256>>>(where, doubles, sums, n); break;
        case 5: stores<<<16, 256>>>(out, n); break;
        case 6: arithmetic<<<16, 256>>>(in, out, n); break;
        }
    }
    float last;
    cudaMemcpy(&last, out + 9, sizeof last, cudaMemcpyDeviceToHost);
    printf("%g\n", last);
}
