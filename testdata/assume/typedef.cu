// define: USE_DOUBLE=1
// A type that a macro chooses: its size and what else follows from it are not the kernel's text.
#include <cstdio>
#ifndef USE_DOUBLE
#define USE_DOUBLE 0
#endif
#if USE_DOUBLE
typedef double real;
#define WIDE 2
#else
typedef float real;
#define WIDE 4
#endif
#define N 1024

struct pair_of {
#if USE_DOUBLE
    int extra[3];
#endif
    float x, y;
};

__global__ void k(const real *__restrict__ in, real *__restrict__ out, int n) {
    __shared__ real s[64];
    __shared__ real t[64];
    __shared__ pair_of p[64];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    s[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    real sum = 0;
    for (int j = 0; j < WIDE; j++) sum += s[(threadIdx.x + j) % 64];
    __syncthreads();
    t[threadIdx.x] = sum;
    __syncthreads();
    sum = t[63 - threadIdx.x];
    __syncthreads();
    p[threadIdx.x].x = sum;
    p[threadIdx.x].y = 1;
    __syncthreads();
    if (i < n) out[i] = p[threadIdx.x ^ 1].x + p[threadIdx.x].y + sizeof(pair_of);
}

__global__ void blur(const real *__restrict__ in, real *__restrict__ out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    real sum = 0;
    for (int j = 0; j < n; j++) sum += in[j] * in[i];
    out[i] = sum;
}

__global__ void table(const real *__restrict__ in, const real *__restrict__ w, real *__restrict__ out) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    real sum = 0;
    for (int j = 0; j < 16; j++) sum += in[x + j] * w[j];
    out[x] = sum;
}

int main() {
    static real h[N + 64], r[N];
    for (int i = 0; i < N + 64; i++) h[i] = i % 17;
    real *in, *out;
    cudaMalloc(&in, (N + 64) * sizeof(real));
    cudaMalloc(&out, N * sizeof(real));
    cudaMemcpy(in, h, (N + 64) * sizeof(real), cudaMemcpyHostToDevice);
    k<<<N / 64, 64>>>(in, out, N);
    cudaMemcpy(r, out, N * sizeof(real), cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i += 37) printf("%g\n", (double)r[i]);
    blur<<<N / 64, 64>>>(in, out, N);
    cudaMemcpy(r, out, N * sizeof(real), cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i += 37) printf("%g\n", (double)r[i]);
    table<<<N / 64, 64>>>(in, in + 5, out);
    cudaMemcpy(r, out, N * sizeof(real), cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i += 37) printf("%g\n", (double)r[i]);
    return 0;
}
