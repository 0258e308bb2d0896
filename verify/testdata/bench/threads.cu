// Many threads in blocks of a given size, one barrier each: threads BLOCKS THREADS.
#include <cstdio>
#include <cstdlib>

__global__ void neighbours(int *out) {
    __shared__ int own[1024];
    own[threadIdx.x] = blockIdx.x + threadIdx.x;
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = own[(threadIdx.x + 1) % blockDim.x];
}

int main(int, char **argv) {
    const int blocks = atoi(argv[1]), threads = atoi(argv[2]);
    int *out, last;
    cudaMalloc(&out, (size_t)blocks * threads * sizeof(int));
    neighbours<<<blocks, threads>>>(out);
    cudaMemcpy(&last, out + (size_t)blocks * threads - 1, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", last);
    return last != blocks - 1;
}
