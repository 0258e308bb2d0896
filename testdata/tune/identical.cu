// A program that is timed against itself: see README.md.
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <ctime>

#define TILE 64

__global__ void reverse(float *out, const float *in, int rounds) {
    __shared__ float tile[TILE];
    const int i = blockIdx.x * TILE + threadIdx.x;
    float sum = in[i];
    for (int r = 0; r < rounds; r++) {
        tile[threadIdx.x] = sum;
        __syncthreads();
        sum = 0.5f * sum + tile[TILE - 1 - threadIdx.x];
        __syncthreads();
    }
    out[i] = sum;
}

// The CPU engine's clocks are virtual, so that two runs print the same. Here the kernel
// of the machine is asked.
static double milliseconds() {
    timespec t;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e3 + t.tv_nsec * 1e-6;
}

int main() {
    const int blocks = 8, n = blocks * TILE;
    float host[n], *in, *out;
    for (int i = 0; i < n; i++) host[i] = float(i % 97);
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    for (int repetition = 0; repetition < 4; repetition++) {  // the first is warm-up
        const double begin = milliseconds();
        reverse<<<blocks, TILE>>>(out, in, 40);
        cudaDeviceSynchronize();
        const double ms = milliseconds() - begin;
        if (repetition > 0) printf("launch %.4g\n", ms);
    }
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < n; i++) sum += host[i];
    printf("sum %g\n", sum);
    return 0;
}
