// A kernel for docs/config.md, which shows the settings beside this file.
__global__ void fft_radix2(float *x)
{
    __shared__ float part[256];
    part[threadIdx.x] = x[blockIdx.x * 256 + threadIdx.x];
    __syncthreads();
    x[blockIdx.x * 256 + threadIdx.x] += part[255 - threadIdx.x];
}
