// Right kernels without a program, whose threads wait for one another, or for what leads from element to element.
#include <cuda/atomic>

struct Ticket { unsigned next, serving; };

__device__ int own_mutex;
__device__ void enter() { while (atomicCAS(&own_mutex, 0, 1)) {} __threadfence(); }
__device__ void leave() { __threadfence(); atomicExch(&own_mutex, 0); }

__global__ void by_ticket(Ticket *line, float *total)
{
    if (threadIdx.x > 0) return;
    unsigned mine = atomicAdd(&line->next, 1);
    while (atomicAdd(&line->serving, 0) != mine) {}
    __threadfence();
    *total += 1;
    __threadfence();
    atomicAdd(&line->serving, 1);
}

__global__ void own_lock(double *total)
{
    if (threadIdx.x == 0) {
        enter();
        *total *= 1.5;
        leave();
    }
}

__global__ void hand_over(int *ready, int *message, int *out)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> flag(*ready);
    if (blockIdx.x == 0) {
        *message = 7;
        flag.store(1, cuda::memory_order_release);
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

__global__ void unite(const int *a, const int *b, int *parent, int n)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= n) return;
    int x = root(parent, a[e]), y = root(parent, b[e]);
    while (x != y) {
        if (x < y) {
            int t = x;
            x = y;
            y = t;
        }
        int old = atomicCAS(&parent[x], x, y);
        if (old == x) break;
        x = root(parent, old);
    }
}

__global__ void bins(const unsigned char *in, unsigned *bins, int n)
{
    __shared__ unsigned own[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) own[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&own[in[i]], 1);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&bins[i], own[i]);
}

__global__ void scaled(cudaTextureObject_t image, float *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) out[y * width + x] = tex2D<float>(image, x + 0.5f, y + 0.5f);
}

__global__ void best_of_rows(const float *x, int *best, int rows, int columns)
{
    __shared__ float value[8][32];
    __shared__ int at[8][32];
    int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    if (row >= rows) return;
    float most = -1e30f;
    int where = 0;
    for (int c = lane; c < columns; c += 32)
        if (x[row * columns + c] > most) most = x[row * columns + c], where = c;
    value[threadIdx.y][lane] = most;
    at[threadIdx.y][lane] = where;
    for (int s = 16; s > 0; s >>= 1) {
        __syncwarp();
        if (lane < s && value[threadIdx.y][lane + s] > value[threadIdx.y][lane]) {
            value[threadIdx.y][lane] = value[threadIdx.y][lane + s];
            at[threadIdx.y][lane] = at[threadIdx.y][lane + s];
        }
    }
    if (lane == 0) best[row] = at[threadIdx.y][0];
}
