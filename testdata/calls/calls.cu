// Kernels that are launched by calls of the CUDA runtime in all forms.
#include <cstdio>
#include <cstdlib>
#include <vector>
#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { printf("%s: %s\n", #call, cudaGetErrorString(e)); exit(1); } } while (0)

__global__ void reverse(const float *in, float *out, int n)
{
    __shared__ float s[64];
    const int i = blockIdx.x * 64 + threadIdx.x;
    s[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    if (i < n) out[i] = s[63 - threadIdx.x] + blockIdx.x + gridDim.x;
}

// The parameter that merged blocks need goes in front of the default argument.
__global__ void shifted(float *a, int by = 1)
{
    __shared__ float s[64];
    const int i = blockIdx.x * 64 + threadIdx.x;
    s[threadIdx.x] = a[i];
    __syncthreads();
    a[i] = s[(threadIdx.x + by) % 64] + 1;
}

template <class T, int F> __global__ void turn(T *a, int k)
{
    __shared__ T s[64];
    const int i = blockIdx.x * 64 + threadIdx.x;
    s[threadIdx.x] = a[i];
    __syncthreads();
    a[i] = s[63 - threadIdx.x] * F + T(k);
}

// Dynamic shared memory, and blocks whose size the program is told.
__global__ void sums(const float *in, float *out)
{
    extern __shared__ float s[];
    s[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) s[threadIdx.x] += s[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] += s[0];
}

cudaError_t filled(void **args, int blocks, cudaStream_t stream)
{
    return cudaLaunchKernel((const void *)reverse, blocks, 64, args, 0, stream);
}

void calls(float *in, float *out, int n, cudaStream_t stream)
{
    void *args[] = {&in, &out, &n};
    CHECK(cudaLaunchKernel((const void *)reverse, dim3((n + 63) / 64), dim3(64), args, 0, stream));
    CHECK(filled(args, (n + 63) / 64, stream));
    int by = 3;
    std::vector<void *> more = {&out, &by};
    cudaError_t status = cudaLaunchKernel((const void *)shifted, n / 64, 64, more.data());
    CHECK(status);
    if (cudaLaunchKernel((void *)turn<float, 3>, n / 64, 64, more.data(), 0, stream) != cudaSuccess)
        exit(1);
}

void configured(float *in, float *out, int n, cudaStream_t stream)
{
    cudaLaunchAttribute attrs[1];
    attrs[0].id = cudaLaunchAttributePriority;
    attrs[0].val.priority = 1;
    cudaLaunchConfig_t config = {0};
    config.gridDim = (n + 63) / 64;
    config.blockDim = 64;
    config.stream = stream;
    config.attrs = attrs;
    config.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&config, reverse, (const float *)in, out, n));
    config.gridDim = n / 64 - 2; // another grid than that of the launch before
    CHECK(cudaLaunchKernelEx(&config, shifted, out, 5));
    int k = 7;
    void *args[] = {&out, &k};
    CHECK(cudaLaunchKernelExC(&config, (const void *)turn<float, 2>, args));
}

void reduced(float *in, float *out, int threads, int blocks)
{
    void *args[] = {&in, &out};
    CHECK(cudaLaunchKernel((const void *)sums, blocks, threads, args, threads * sizeof(float), 0));
}

int main(int argc, char **argv)
{
    const int blocks = argc > 1 ? atoi(argv[1]) : 9, n = 64 * blocks - 5, all = 64 * blocks;
    std::vector<float> h(all);
    for (int i = 0; i < all; ++i) h[i] = i % 37;
    float *in, *out;
    CHECK(cudaMalloc(&in, all * sizeof(float)));
    CHECK(cudaMalloc(&out, all * sizeof(float)));
    CHECK(cudaMemcpy(in, h.data(), all * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(out, 0, all * sizeof(float)));
    calls(in, out, n, 0);
    configured(in, out, n, 0);
    reduced(in, out, 64, blocks);
    CHECK(cudaMemcpy(h.data(), out, all * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < all; ++i) printf("%g\n", h[i]);
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
}
