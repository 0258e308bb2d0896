// edit: look<64> -> look<128>
// way: stage scheme=table
#include <cstdio>
template <int N> __global__ void look(int *__restrict__ out, const unsigned *__restrict__ in, const int *__restrict__ codes, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int s = 0;
    for (int k = 0; k < 16; k++) s += codes[(in[i] + k) % N];
    if (i < n) out[i] = s;
}
int main(int argc, char **argv) {
    int n = 200 + argc; static int c[256], o[256]; static unsigned t[256]; int *codes, *out; unsigned *in;
    for (int i = 0; i < 256; i++) c[i] = i * 7 % 31, t[i] = i * 5 % 256;
    cudaMalloc(&codes, 256 * sizeof(int)); cudaMalloc(&out, sizeof o); cudaMalloc(&in, sizeof c);
    cudaMemcpy(codes, c, 256 * sizeof(int), cudaMemcpyHostToDevice); cudaMemcpy(in, t, sizeof c, cudaMemcpyHostToDevice); cudaMemset(out, 0, sizeof o);
    look<64><<<4, 64>>>(out, in, codes, n);
    cudaMemcpy(o, out, sizeof o, cudaMemcpyDeviceToHost);
    double s = 0; for (int i = 0; i < 256; ++i) s += o[i] * (i % 5); printf("%.1f\n", s);
}
