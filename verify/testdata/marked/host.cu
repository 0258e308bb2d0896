// Copies, fills and frees that a GPU refuses, at the lines that are marked. Who doesn't look at the error goes on with old data.
#include <cstdio>

__constant__ float weights[16];
__device__ int counts[4];

__global__ void fill(float *p, int n) {
    const int i = threadIdx.x;
    if (i < n) p[i] = weights[i % 16] + counts[i % 4];
}

int main() {
    float host[128] = {}, *p, *q, *pinned, *rows;
    int numbers[8] = {};
    size_t pitch;
    cudaMemcpyToSymbol(weights, host, sizeof weights);
    cudaMemcpyToSymbol(weights, host, 32, 32);
    cudaMemcpyToSymbol(weights, host, sizeof host);  // want: out-of-bounds
    cudaMemcpyToSymbol(counts, numbers, 8, 12);  // want: out-of-bounds
    cudaMemcpyToSymbol(counts, numbers, sizeof counts);
    cudaMemcpyFromSymbol(numbers, counts, sizeof numbers);  // want: out-of-bounds

    cudaMalloc(&p, 64 * sizeof *p);
    cudaMalloc(&q, 64);
    cudaMallocHost(&pinned, 64);
    fill<<<1, 64>>>(p, 64);
    cudaMemcpy(host, p, 64 * sizeof *p, cudaMemcpyDeviceToHost);
    cudaMemcpy(p, host, sizeof host, cudaMemcpyHostToDevice);  // want: out-of-bounds
    cudaMemcpy(host, p + 32, 64 * sizeof *p, cudaMemcpyDeviceToHost);  // want: out-of-bounds
    cudaMemcpy(q, p, 65, cudaMemcpyDeviceToDevice);  // want: out-of-bounds
    cudaMemcpy(host, p, 16, cudaMemcpyHostToDevice);  // want: illegal-address
    cudaMemcpy(host, numbers + 4, 16, cudaMemcpyHostToHost);
    cudaMemcpy(host, numbers, 16, cudaMemcpyDeviceToHost);  // want: illegal-address
    cudaMemcpy(pinned, p, 64, cudaMemcpyDefault);
    cudaMemset(p, 0, 64 * sizeof *p);
    cudaMemset(p, 0, 64 * sizeof *p + 1);  // want: out-of-bounds
    cudaMemset(host, 0, 8);  // want: illegal-address

    cudaMallocPitch(&rows, &pitch, 40, 4);
    cudaMemcpy2D(rows, pitch, host, 40, 40, 4, cudaMemcpyHostToDevice);
    cudaMemcpy2D(rows, pitch, host, 40, 40, 5, cudaMemcpyHostToDevice);  // want: out-of-bounds
    cudaMemcpy2D(host, 32, rows, pitch, 40, 3, cudaMemcpyDeviceToHost);  // want: out-of-bounds
    cudaArray_t array;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaMallocArray(&array, &format, 8, 8);
    cudaMemcpy2DToArray(array, 0, 0, host, 32, 32, 8, cudaMemcpyHostToDevice);
    cudaMemcpy2DToArray(array, 4, 0, host, 32, 32, 8, cudaMemcpyHostToDevice);  // want: out-of-bounds
    cudaMemcpyFromArray(host, array, 0, 0, 260, cudaMemcpyDeviceToHost);  // want: out-of-bounds

    cudaFree(nullptr);
    cudaFree(p);
    cudaFree(p);  // want: out-of-bounds
    cudaFree(q + 1);  // want: out-of-bounds
    cudaFree(pinned);  // want: out-of-bounds
    cudaFree(host);  // want: out-of-bounds
    cudaFreeHost(pinned);
    cudaMemcpy(host, p, 4, cudaMemcpyDeviceToHost);  // want: out-of-bounds
    printf("%g %d\n", host[0], numbers[0]);
}
