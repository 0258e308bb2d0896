// More of them.

__global__ void reduce_no_barrier(const float *in, float *out, int n)
{
    __shared__ float s[256];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int k = blockDim.x / 2; k > 0; k >>= 1)
        if (t < k) s[t] += s[t + k];
    if (t == 0) out[blockIdx.x] = s[0];
}

__global__ void loop_past_end(float *out)
{
    __shared__ float s[32];
    for (int i = threadIdx.x; i <= 32; i += blockDim.x) s[i] = i;
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x % 32];
}

__global__ void block_sums_without_atomic(const int *in, int *total)
{
    __shared__ int s;
    if (threadIdx.x == 0) s = 0;
    __syncthreads();
    atomicAdd(&s, in[blockIdx.x * blockDim.x + threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) *total += s;
}

__global__ void not_cleared(const int *in, int *out, int n)
{
    __shared__ int h[64];
    for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(&h[in[i] & 63], 1);
    __syncthreads();
    for (int i = threadIdx.x; i < 64; i += blockDim.x) out[i] = h[i];
}

__global__ void in_place_stencil(float *u, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1) u[i] = 0.5f * (u[i - 1] + u[i + 1]);
}

__global__ void negative_index(const int *in, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] - in[i - 1];
}

__global__ void transpose_no_sync(const float *in, float *out, int n)
{
    __shared__ float t[16][16];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    t[threadIdx.y][threadIdx.x] = in[y * n + x];
    out[(blockIdx.x * 16 + threadIdx.y) * n + blockIdx.y * 16 + threadIdx.x] = t[threadIdx.x][threadIdx.y];
}

__global__ void last_tail(const float *in, float *out, int n)
{
    __shared__ float s[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) s[threadIdx.x] = in[i];
    __syncthreads();
    if (i < n) out[i] = s[63 - threadIdx.x];
}

__global__ void one_cell(int *cell)
{
    cell[0] = threadIdx.x;
}

__global__ void divide_by_index(int *out)
{
    out[threadIdx.x] = 100 / threadIdx.x;
}

__global__ void shared_counter(const int *in, int *out)
{
    __shared__ int count;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    if (in[threadIdx.x] > 3) count++;
    __syncthreads();
    if (threadIdx.x == 0) out[0] = count;
}

__global__ void warp_partial_sums(const float *in, float *out)
{
    __shared__ float w[8];
    float v = in[threadIdx.x];
    for (int o = 16; o; o >>= 1) v += __shfl_down_sync(0xffffffff, v, o);
    if (threadIdx.x % 32 == 0) w[threadIdx.x / 32] = v;
    if (threadIdx.x == 0) {
        float s = 0;
        for (int i = 0; i < blockDim.x / 32; i++) s += w[i];
        out[0] = s;
    }
}

__global__ void overlap_copy(int *a, int n)
{
    int i = threadIdx.x;
    if (i < n - 1) a[i] = a[i + 1];
}

__global__ void bubble_all_pairs(int *a, int n)
{
    int i = threadIdx.x;
    if (i < n - 1 && a[i] > a[i + 1]) {
        int t = a[i];
        a[i] = a[i + 1];
        a[i + 1] = t;
    }
}

__global__ void two_writers(float *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) out[x] = y;
}

__global__ void early_return_barrier(const float *in, float *out, int n)
{
    __shared__ float s[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x & 1) {
        s[threadIdx.x] = in[i];
        __syncthreads();
    }
    out[i] = s[threadIdx.x ^ 1];
}

__global__ void mode_race(int *a, int mode)
{
    if (mode == 3) a[0] = threadIdx.x;
    else a[threadIdx.x] = 1;
}

__global__ void grid_sum(float *partial, float *total)
{
    __shared__ float s[64];
    s[threadIdx.x] = partial[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
        float v = 0;
        for (int i = 0; i < 64; i++) v += s[i];
        total[0] = total[0] + v;
    }
}

__global__ void local_past_end(int *out)
{
    int v[4];
    for (int i = 0; i <= 4; i++) v[i] = i * threadIdx.x;
    out[threadIdx.x] = v[3];
}
