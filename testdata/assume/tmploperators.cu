// define: COUNTED=1
// A class that is copied as it is and whose operators count by thread, for which a kernel is launched whose type parameter no launch names.
#include <cstdio>
#ifndef COUNTED
#define COUNTED 0
#endif
__device__ int calls[1024];
#if COUNTED
struct counting {
    float x;
    __device__ counting operator+(const counting &o) const { counting r; r.x = x + o.x + calls[blockIdx.x * 64 + threadIdx.x]++ % 2; return r; }
};
typedef counting number;
#else
typedef float number;
#endif
template <class T> __global__ void pairs(const T *__restrict__ in, T *__restrict__ out) {
    __shared__ T s[64];
    const int t = threadIdx.x;
    s[t] = in[blockIdx.x * 64 + t] + in[blockIdx.x * 64 + t + 1];
    __syncthreads();
    out[blockIdx.x * 64 + t] = s[63 - t] + in[t];
    __syncthreads();
    s[t] = in[blockIdx.x * 64 + t] + in[blockIdx.x * 64 + t + 3];
    __syncthreads();
    out[blockIdx.x * 64 + t + 1024] = s[63 - t] + in[t];
}
template <class T> __global__ void shifted(const T *__restrict__ in, T *__restrict__ out, T z) {
    __shared__ T s[8][64];
    const int t = threadIdx.x;
    for (int i = 0; i < 8; ++i) s[i][t] = in[(blockIdx.x * 8 + i) * 64 + t] + z;
    __syncthreads();
    T sum = z;
    for (int i = 0; i < 8; ++i) sum = sum + s[i][63 - t];
    out[blockIdx.x * 64 + t] = sum;
}
int main() {
    static float h[8320]; number *a, *b, z; int c[1024];
    for (int i = 0; i < 8320; ++i) h[i] = i % 97;
    cudaMalloc(&a, sizeof h); cudaMalloc(&b, sizeof h); cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice); cudaMemset(b, 0, sizeof h);
    *(float *)&z = 2;
    pairs<<<16, 64>>>(a, b);
    shifted<<<8, 64>>>(a, b + 2048, z);
    cudaMemcpy(h, b, 16384, cudaMemcpyDeviceToHost);
    cudaMemcpyFromSymbol(c, calls, sizeof c);
    double s = 0; for (int i = 0; i < 4096; ++i) s += h[i] * (i % 5); for (int i = 0; i < 1024; ++i) s += c[i] * (i % 7); printf("%.1f\n", s);
}
