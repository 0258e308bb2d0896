// Wrong kernels without a program: what is found counts, or where "guessed" stands above is told at least.

__global__ void no_barrier(const float *in, float *out)
{
    __shared__ float s[64];
    s[threadIdx.x] = in[threadIdx.x];
    out[threadIdx.x] = s[63 - threadIdx.x];
}

__global__ void off_by_one(const int *in, int *out)
{
    __shared__ int s[64];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x + 1];
}

__global__ void sum_without_atomic(const int *in, int *sum, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) *sum += in[i];
}

// guessed
__global__ void histogram_without_atomic(const unsigned char *in, int *bins, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) bins[in[i]]++;
}

__global__ void divergent_barrier(float *a, int n)
{
    __shared__ float s[128];
    int i = threadIdx.x;
    s[i] = a[i];
    if (i < 16) {
        __syncthreads();
        a[i] = s[i + 1];
    } else
        __syncthreads();
}

__global__ void halo_missing(const float *in, float *out)
{
    __shared__ float s[130];
    int g = blockIdx.x * 128 + threadIdx.x;
    s[threadIdx.x + 1] = in[g + 1];
    if (threadIdx.x == 0) s[0] = in[g];
    __syncthreads();
    out[g] = s[threadIdx.x] + s[threadIdx.x + 1] + s[threadIdx.x + 2];
}

__global__ void matmul_one_barrier(const float *a, const float *b, float *c, int n)
{
    __shared__ float as[16][16], bs[16][16];
    int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    float s = 0;
    for (int m = 0; m < n / 16; m++) {
        as[threadIdx.y][threadIdx.x] = a[row * n + m * 16 + threadIdx.x];
        bs[threadIdx.y][threadIdx.x] = b[(m * 16 + threadIdx.y) * n + col];
        __syncthreads();
        for (int k = 0; k < 16; k++) s += as[threadIdx.y][k] * bs[k][threadIdx.x];
    }
    c[row * n + col] = s;
}

__global__ void tile_past_end(const float *in, float *out)
{
    __shared__ float t[16][16];
    t[threadIdx.y][threadIdx.x] = in[threadIdx.y * 16 + threadIdx.x];
    __syncthreads();
    if (threadIdx.y == 0) {
        float s = 0;
        for (int k = 0; k <= 16; k++) s += t[k][threadIdx.x];
        out[threadIdx.x] = s;
    }
}

__global__ void flag_without_fence(int *flag, int *data)
{
    if (threadIdx.x == 0) {
        data[0] = 42;
        flag[0] = 1;
    }
    if (threadIdx.x == 32 && flag[0] == 1) data[1] = data[0];
}

__global__ void scan_no_second_buffer(int *out, const int *in)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    for (int o = 1; o < 128; o *= 2) {
        if (t >= o) s[t] += s[t - o];
        __syncthreads();
    }
    out[t] = s[t];
}

__global__ void misaligned_vector(const float *in, float *out)
{
    const float4 *v = (const float4 *)(in + threadIdx.x);
    out[threadIdx.x] = v->x;
}

__global__ void scale_groups_in_one(const float *x, float *y, int n, int batches, int batch_step, int groups, int group_step, float by)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= batches * groups) return;
    int from = id / groups * batch_step;
    for (int i = 0; i < n; i++) y[from + i] = by * x[from + id % groups * group_step + i];
}

__global__ void blur_tile_too_early(const float *a, float *b, int height, int width)
{
    __shared__ float s[16][16];
    int y = blockIdx.y * 12 + threadIdx.y, x = blockIdx.x * 12 + threadIdx.x;
    s[threadIdx.y][threadIdx.x] = y >= 2 && y - 2 < height && x >= 2 && x - 2 < width ? a[(y - 2) * width + x - 2] : 0;
    if (threadIdx.y >= 12 || threadIdx.x >= 12 || y >= height || x >= width) return;
    float sum = 0;
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++) sum += s[threadIdx.y + i][threadIdx.x + j];
    b[y * width + x] = sum;
}

__global__ void count_bytes(const unsigned char *data, int n, unsigned *bins)
{
    __shared__ unsigned s[256];
    s[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) s[data[i]]++;
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], s[threadIdx.x]);
}
