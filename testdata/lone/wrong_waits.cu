// Wrong kernels of that kind: a fence, an order or an atomic is missing.
#include <cuda/atomic>

struct Ticket { unsigned next, serving; };

__device__ int own_mutex;

__global__ void ticket_without_fence(Ticket *line, float *total)
{
    if (threadIdx.x > 0) return;
    unsigned mine = atomicAdd(&line->next, 1);
    while (atomicAdd(&line->serving, 0) != mine) {}
    *total += 1;
    atomicAdd(&line->serving, 1);
}

__global__ void lock_of_block_scope(double *total)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(&own_mutex, 0, 1)) {}
        __threadfence_block();
        *total *= 1.5;
        __threadfence_block();
        atomicExch(&own_mutex, 0);
    }
}

__global__ void relaxed_hand_over(int *ready, int *message, int *out)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> flag(*ready);
    if (blockIdx.x == 0) {
        *message = 7;
        flag.store(1, cuda::memory_order_relaxed);
    } else {
        while (flag.load(cuda::memory_order_acquire) == 0) {}
        out[blockIdx.x] = *message;
    }
}

__device__ int root(volatile int *parent, int v)
{
    while (parent[v] != v) v = parent[v];
    return v;
}

// guessed
__global__ void unite_without_atomic(const int *a, const int *b, int *parent, int n)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= n) return;
    int x = root(parent, a[e]), y = root(parent, b[e]);
    if (x < y)
        parent[y] = x;
    else
        parent[x] = y;
}

__global__ void halves_of_a_texture(cudaTextureObject_t line, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i / 2] = tex1Dfetch<float>(line, i);
}
