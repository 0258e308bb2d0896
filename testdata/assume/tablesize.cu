// edit: T = 128; -> T = 64;
// way: stage scheme=table
#include <cstdio>
__global__ void look(int *out, const unsigned char *in, const int *codes, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { int s = 0; for (int k = 0; k < 16; k++) s += codes[(in[i] + k) & 127]; out[i] = s; }
}
int main() {
    const int n = 500, T = 128; static int c[256], o[1024]; static unsigned char t[1024]; int *codes, *out; unsigned char *in;
    for (int i = 0; i < 256; i++) c[i] = i * 7 % 31;
    for (int i = 0; i < 1024; i++) t[i] = i % 40;
    cudaMalloc(&codes, T * sizeof(int)); cudaMalloc(&out, sizeof o); cudaMalloc(&in, sizeof t);
    cudaMemcpy(codes, c, T * sizeof(int), cudaMemcpyHostToDevice); cudaMemcpy(in, t, sizeof t, cudaMemcpyHostToDevice); cudaMemset(out, 0, sizeof o);
    look<<<(n + 63) / 64, 64>>>(out, in, codes, n);
    cudaMemcpy(o, out, sizeof o, cudaMemcpyDeviceToHost);
    double s = 0; for (int i = 0; i < 1024; ++i) s += o[i] * (i % 5); printf("%.1f\n", s);
}
