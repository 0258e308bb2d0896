// ways: vtb named, vtb lock, vtb block, merge block
// Casts to the library's types, to typename A<T>::type, a macro that ends in a semicolon,
// and lengths of vectors in memory.
#include <ctime>
#include <cstdint>
#include <cstdio>

#define HALF 0.5f;

template <typename T> struct Wide {
    typedef double type;
};

template <typename T> __global__ void mix(const T *in, T *out) {
    __shared__ T s[64];
    const int i = blockIdx.x * 64 + threadIdx.x;
    s[threadIdx.x] = (in[i] + in[i ^ 1]) * HALF;
    __syncthreads();
    const clock_t before = (clock_t)(threadIdx.x);
    T v = typename Wide<T>::type(s[63 - threadIdx.x]) + (float)before;
    v += normf(64, s) + rnormf(2, in + i / 2);
    __syncthreads();
    s[threadIdx.x] = v * HALF;
    __syncthreads();
    out[i] = s[threadIdx.x ^ 5] - v;
}

int main() {
    const int n = 5 * 64;
    static float h[n + 1];
    for (int i = 0; i < n; i++) h[i] = i % 37 + 1;
    float *in, *out;
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&out, sizeof h);
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    mix<float><<<n / 64, 64>>>(in, out);
    cudaMemcpy(h, out, n * sizeof(float), cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < n; i++) sum += h[i] * (i % 7);
    printf("%.6g\n", sum);
}
