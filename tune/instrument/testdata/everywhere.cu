#include <cstdio>
#include <cstdlib>

#define CHECK(x) do { x; if (cudaPeekAtLastError() != cudaSuccess) exit(1); } while (0)

template <class T, int N> __global__ void turn(T *a) {
    extern __shared__ float s[];
    const int me = threadIdx.y * blockDim.x + threadIdx.x, i = blockIdx.x * N + me;
    s[me] = a[i];
    __syncthreads();
    a[i] = s[N - 1 - me] + 1;
}

__global__ void other(float *a) { a[threadIdx.x] += 2; }

static int calls = 0;
static int grid() { return ++calls, 4; }

template <class T> static void launchIn(T *a, cudaStream_t s) {
    if (a)
        turn<T, 64><<<dim3(grid()), 64, 64 * sizeof(float), s>>>(a);
    else
        turn<T, 64><<<1, 64, 256>>>(nullptr);
}

static void returned(float *a) { return turn<float, 64> <<< 4,
    dim3(8, 8) /* flat */, // of 64
    256 >>>(a); }

int main() {
    float h[256], *a;
    for (int i = 0; i < 256; ++i) h[i] = i % 7;
    cudaMalloc(&a, sizeof h);
    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    launchIn(a, 0);
    returned(a);
    CHECK((turn<float, 64><<<grid(), 64, 256>>>(a)));
    for (int i = 0; i < 2; ++i) turn<float, 64><<<4, 64, 256>>>(a), ++calls;
    calls > 100 ? turn<float, 64><<<1, 64, 256>>>(a) : turn<float, 64><<<4, 64, 256>>>(a);
    [&] { turn<float, 64><<<4, 64, 256>>>(a); }();
    other<<<1, 64>>>(a);
    if (cudaGetLastError() != cudaSuccess) return 1;
    cudaMemcpy(h, a, sizeof h, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < 256; ++i) sum += h[i] * (i + 1);
    printf("%d %g, line %d\n", calls, sum, __LINE__);
    cudaFree(a);
    return 0;
}
