// A kernel template in two instantiations, of different element types and block sizes, with two
// shared arrays and a device function that has a barrier.
//
// Usage: scan BLOCKS

#include <cstdio>
#include <cstdlib>
#include <vector>

template <typename T, int THREADS>
__device__ void shift(T *to, const T *from, int by)
{
    const int t = threadIdx.x;
    to[t] = t >= by ? from[t] + from[t - by] : from[t];
    __syncthreads();
}

// The sums of what stands before each element of a block, so to speak: each step looks ever further.
template <typename T, int THREADS>
__global__ void prefix(const T *in, T *out)
{
    __shared__ T even[THREADS];
    __shared__ T odd[THREADS];

    const int i = blockIdx.x * THREADS + threadIdx.x;
    even[threadIdx.x] = in[i];
    __syncthreads();
    for (int by = 1; by < THREADS; by *= 4) {
        shift<T, THREADS>(odd, even, by);
        shift<T, THREADS>(even, odd, 2 * by);
    }
    out[i] = even[threadIdx.x];
}

template <typename T, int THREADS>
static void run(int blocks)
{
    const int n = blocks * THREADS;
    std::vector<T> host(n);
    for (int i = 0; i < n; ++i) host[i] = (T)(i * 5 % 17);
    T *in, *out;
    cudaMalloc(&in, n * sizeof(T));
    cudaMalloc(&out, n * sizeof(T));
    cudaMemcpy(in, host.data(), n * sizeof(T), cudaMemcpyHostToDevice);
    prefix<T, THREADS><<<blocks, THREADS>>>(in, out);
    cudaMemcpy(host.data(), out, n * sizeof(T), cudaMemcpyDeviceToHost);
    printf("%g %g\n", (double)host[0], (double)host[n - 1]);
}

int main(int argc, char **argv)
{
    const int blocks = argc > 1 ? atoi(argv[1]) : 3;
    run<int, 64>(blocks);
    run<double, 32>(blocks);
    return 0;
}
