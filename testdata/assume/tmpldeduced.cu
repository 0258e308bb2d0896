// define: COUNTED=1
// A class for which a kernel is launched whose type parameter no launch names: what its operators do is not the kernel's text.
#include <cstdio>
#ifndef COUNTED
#define COUNTED 0
#endif
__device__ int calls;
#if COUNTED
struct counting {
    float x;
    counting() = default;
    counting(const counting &) = default;
    __device__ counting &operator=(const counting &o) { atomicAdd(&calls, 1); x = o.x; return *this; }
    __device__ counting operator+(const counting &o) const { atomicAdd(&calls, 1000); counting r; r.x = x + o.x; return r; }
};
typedef counting number;
#else
typedef float number;
#endif
template <class T> __global__ void sums(const T *__restrict__ in, T *__restrict__ out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    T sum = in[i];
    for (int j = 1; j < 9; ++j) sum = sum + in[i + j];
    out[i] = sum;
}
template <class T> __global__ void turns(const T *__restrict__ in, T *__restrict__ out) {
    __shared__ T s[8][64];
    const int t = threadIdx.x;
    for (int i = 0; i < 8; ++i) s[i][t] = in[(blockIdx.x * 8 + i) * 64 + t];
    __syncthreads();
    out[blockIdx.x * 64 + t] = s[t & 7][63 - t] + in[t];
}
int main() {
    static float h[8320]; number *a, *b; int c;
    for (int i = 0; i < 8320; ++i) h[i] = i % 97;
    cudaMalloc(&a, sizeof h); cudaMalloc(&b, sizeof h); cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice); cudaMemset(b, 0, sizeof h);
    sums<<<16, 64>>>(a, b);
    turns<<<16, 64>>>(a, b + 1024);
    cudaMemcpy(h, b, 8192, cudaMemcpyDeviceToHost);
    cudaMemcpyFromSymbol(&c, calls, sizeof c);
    double s = 0; for (int i = 0; i < 2048; ++i) s += h[i] * (i % 5); printf("%.1f %d\n", s, c);
}
