// Right kernels of all shapes without a program: nothing may count that is found with a guessed launch.
#include <cuda_fp16.h>

__global__ void histogram_bytes(const unsigned char *data, unsigned *bins, int n)
{
    __shared__ unsigned local[256];
    local[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        atomicAdd(&local[data[i]], 1u);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

__global__ void scan_hillis(float *out, const float *in, int n)
{
    extern __shared__ float temp[];
    int t = threadIdx.x, pout = 0, pin = 1;
    temp[t] = t > 0 ? in[t - 1] : 0;
    temp[n + t] = 0;
    __syncthreads();
    for (int offset = 1; offset < n; offset <<= 1) {
        pout = 1 - pout;
        pin = 1 - pout;
        if (t >= offset) temp[pout * n + t] = temp[pin * n + t] + temp[pin * n + t - offset];
        else temp[pout * n + t] = temp[pin * n + t];
        __syncthreads();
    }
    out[t] = temp[pout * n + t];
}

__global__ void scan_blelloch(float *g_odata, const float *g_idata, int n)
{
    extern __shared__ float tmp[];
    int thid = threadIdx.x, offset = 1;
    tmp[2 * thid] = g_idata[2 * thid];
    tmp[2 * thid + 1] = g_idata[2 * thid + 1];
    for (int d = n >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (thid < d) {
            int ai = offset * (2 * thid + 1) - 1, bi = offset * (2 * thid + 2) - 1;
            tmp[bi] += tmp[ai];
        }
        offset *= 2;
    }
    if (thid == 0) tmp[n - 1] = 0;
    for (int d = 1; d < n; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (thid < d) {
            int ai = offset * (2 * thid + 1) - 1, bi = offset * (2 * thid + 2) - 1;
            float t = tmp[ai];
            tmp[ai] = tmp[bi];
            tmp[bi] += t;
        }
    }
    __syncthreads();
    g_odata[2 * thid] = tmp[2 * thid];
    g_odata[2 * thid + 1] = tmp[2 * thid + 1];
}

#define SECTION 512
__global__ void scan_section(const int *x, int *y, int n)
{
    __shared__ int xy[SECTION];
    int i = 2 * blockIdx.x * blockDim.x + threadIdx.x;
    xy[threadIdx.x] = i < n ? x[i] : 0;
    xy[threadIdx.x + blockDim.x] = i + blockDim.x < n ? x[i + blockDim.x] : 0;
    for (unsigned stride = 1; stride <= blockDim.x; stride *= 2) {
        __syncthreads();
        unsigned index = (threadIdx.x + 1) * 2 * stride - 1;
        if (index < SECTION) xy[index] += xy[index - stride];
    }
    for (int stride = SECTION / 4; stride > 0; stride /= 2) {
        __syncthreads();
        unsigned index = (threadIdx.x + 1) * stride * 2 - 1;
        if (index + stride < SECTION) xy[index + stride] += xy[index];
    }
    __syncthreads();
    if (i < n) y[i] = xy[threadIdx.x];
    if (i + blockDim.x < n) y[i + blockDim.x] = xy[threadIdx.x + blockDim.x];
}

__global__ void reduce_block_shuffle(const float *in, float *out, int n)
{
    __shared__ float warps[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float v = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) v += in[i];
    for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffff, v, o);
    if (lane == 0) warps[warp] = v;
    __syncthreads();
    if (warp == 0) {
        v = lane < blockDim.x / 32 ? warps[lane] : 0;
        for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffff, v, o);
        if (lane == 0) *out = v;
    }
}

__global__ void warp_argmax(const float *in, int *where)
{
    int lane = threadIdx.x;
    float v = in[lane];
    int at = lane;
    for (int o = 16; o; o >>= 1) {
        float w = __shfl_xor_sync(0xffffffffu, v, o);
        int b = __shfl_xor_sync(0xffffffffu, at, o);
        if (w > v || (w == v && b < at)) v = w, at = b;
    }
    where[lane] = at;
}

#define RADIUS 3
#define BLOCK 128
__global__ void stencil_1d(const int *in, int *out)
{
    __shared__ int temp[BLOCK + 2 * RADIUS];
    int g = threadIdx.x + blockIdx.x * blockDim.x + RADIUS, l = threadIdx.x + RADIUS;
    temp[l] = in[g];
    if (threadIdx.x < RADIUS) {
        temp[l - RADIUS] = in[g - RADIUS];
        temp[l + BLOCK] = in[g + BLOCK];
    }
    __syncthreads();
    int r = 0;
    for (int o = -RADIUS; o <= RADIUS; o++) r += temp[l + o];
    out[g] = r;
}

#define TILE_DIM 32
#define BLOCK_ROWS 8
__global__ void transpose_tile(float *odata, const float *idata, int width, int height)
{
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];
    int x = blockIdx.x * TILE_DIM + threadIdx.x, y = blockIdx.y * TILE_DIM + threadIdx.y;
    for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS) tile[threadIdx.y + i][threadIdx.x] = idata[(y + i) * width + x];
    __syncthreads();
    x = blockIdx.y * TILE_DIM + threadIdx.x;
    y = blockIdx.x * TILE_DIM + threadIdx.y;
    for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS) odata[(y + i) * height + x] = tile[threadIdx.x][threadIdx.y + i];
}

__global__ void transpose_pitched(char *dst, size_t dst_pitch, const char *src, size_t src_pitch, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float *row = (float *)(dst + x * dst_pitch);
    row[y] = ((const float *)(src + y * src_pitch))[x];
}

__global__ void matvec_float4(const float *m, const float *v, float *r, int cols)
{
    const float4 *row = reinterpret_cast<const float4 *>(m + (size_t)blockIdx.x * cols);
    const float4 *vec = reinterpret_cast<const float4 *>(v);
    float s = 0;
    for (int c = threadIdx.x; c < cols / 4; c += 32) {
        float4 a = row[c], b = vec[c];
        s += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    }
    for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffff, s, o);
    if (threadIdx.x == 0) r[blockIdx.x] = s;
}

__global__ void one_thread_state(int *state, int *count)
{
    int s = *state;
    for (int i = 0; i < 10; i++) s = s == 0 ? 1 : s == 1 ? 2 : 0;
    *state = s;
    *count += 1;
}

__global__ void normalize_block(float *v, int n)
{
    __shared__ float part[256];
    float s = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) s += v[i] * v[i];
    part[threadIdx.x] = s;
    __syncthreads();
    for (int k = blockDim.x / 2; k > 0; k >>= 1) {
        if (threadIdx.x < k) part[threadIdx.x] += part[threadIdx.x + k];
        __syncthreads();
    }
    float r = rsqrtf(part[0]);
    for (int i = threadIdx.x; i < n; i += blockDim.x) v[i] *= r;
}

__global__ void state_machine(const unsigned char *text, int *accepted, const int *table, int n, int length)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int s = 0;
    for (int k = 0; k < length; k++) s = table[s * 256 + text[i * length + k]] & 7;
    accepted[i] = s == 7;
}

__global__ void bitonic_shared(int *values, int n)
{
    extern __shared__ int sh[];
    int t = threadIdx.x;
    sh[t] = values[t];
    __syncthreads();
    for (int k = 2; k <= n; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
            int o = t ^ j;
            if (o > t && ((t & k) == 0) == (sh[t] > sh[o])) {
                int x = sh[t];
                sh[t] = sh[o];
                sh[o] = x;
            }
            __syncthreads();
        }
    values[t] = sh[t];
}

__global__ void spmv_csr(const int *row_ptr, const int *col, const float *val, const float *x, float *y, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float s = 0;
        for (int k = row_ptr[row]; k < row_ptr[row + 1]; k++) s += val[k] * x[col[k]];
        y[row] = s;
    }
}

__global__ void scatter(const int *index, const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[index[i]] = in[i];
}

__global__ void mirror_warp(const float *in, float *out)
{
    __shared__ float s[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    s[threadIdx.x] = in[i];
    __syncthreads();
    out[i] = s[blockDim.x - 1 - threadIdx.x];
}

__global__ void batched_gemm(const float *a, const float *b, float *c, int m, int n, int k, long long stride_a, long long stride_b, long long stride_c)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    a += blockIdx.z * stride_a;
    b += blockIdx.z * stride_b;
    c += blockIdx.z * stride_c;
    if (row < m && col < n) {
        float s = 0;
        for (int i = 0; i < k; i++) s += a[row * k + i] * b[i * n + col];
        c[row * n + col] = s;
    }
}

#define KERNEL_RADIUS 8
#define ROWS_X 16
#define ROWS_Y 4
#define RESULT_STEPS 4
#define HALO_STEPS 1
__constant__ float row_taps[2 * KERNEL_RADIUS + 1];
__global__ void convolution_rows(float *dst, const float *src, int w, int h, int pitch)
{
    __shared__ float s[ROWS_Y][(RESULT_STEPS + 2 * HALO_STEPS) * ROWS_X];
    const int x = (blockIdx.x * RESULT_STEPS - HALO_STEPS) * ROWS_X + threadIdx.x, y = blockIdx.y * ROWS_Y + threadIdx.y;
    src += y * pitch + x;
    dst += y * pitch + x;
#pragma unroll
    for (int i = HALO_STEPS; i < HALO_STEPS + RESULT_STEPS; i++) s[threadIdx.y][threadIdx.x + i * ROWS_X] = src[i * ROWS_X];
    for (int i = 0; i < HALO_STEPS; i++) s[threadIdx.y][threadIdx.x + i * ROWS_X] = x >= -i * ROWS_X ? src[i * ROWS_X] : 0;
    for (int i = HALO_STEPS + RESULT_STEPS; i < HALO_STEPS + RESULT_STEPS + HALO_STEPS; i++)
        s[threadIdx.y][threadIdx.x + i * ROWS_X] = w - x > i * ROWS_X ? src[i * ROWS_X] : 0;
    __syncthreads();
    for (int i = HALO_STEPS; i < HALO_STEPS + RESULT_STEPS; i++) {
        float sum = 0;
        for (int j = -KERNEL_RADIUS; j <= KERNEL_RADIUS; j++) sum += row_taps[KERNEL_RADIUS - j] * s[threadIdx.y][threadIdx.x + i * ROWS_X + j];
        dst[i * ROWS_X] = sum;
    }
}

__global__ void scale_groups(float *x, int n, int batches, int batch_step, int groups, int group_step, int step, float by)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= batches * groups) return;
    float *at = x + id / groups * batch_step + id % groups * group_step;
    for (int i = 0; i < n; i++) at[i * step] = by * at[i * step] + 1;
}

__global__ void depth_to_space(float *x, float *y, int n, int w, int h, int c, int times, int back)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, from = i;
    if (i >= n) return;
    int column = i % w;
    i /= w;
    int row = i % h;
    i /= h;
    int channel = i % c, image = i / c, less = c / (times * times);
    int part = channel / less, to_row = row * times + part / times, to_column = column * times + part % times;
    int to = to_column + w * times * (to_row + h * times * (channel % less + less * image));
    if (back) x[from] = y[to];
    else y[to] = x[from];
}

__global__ void blur_tile(const float *a, float *b, int height, int width)
{
    __shared__ float s[14][14];
    int y = blockIdx.y * 10 + threadIdx.y, x = blockIdx.x * 10 + threadIdx.x;
    s[threadIdx.y][threadIdx.x] = y >= 2 && y - 2 < height && x >= 2 && x - 2 < width ? a[(y - 2) * width + x - 2] : 0;
    __syncthreads();
    if (threadIdx.y >= 10 || threadIdx.x >= 10 || y >= height || x >= width) return;
    float sum = 0;
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++) sum += s[threadIdx.y + i][threadIdx.x + j];
    b[y * width + x] = sum;
}

#define EDGE 16
__global__ void diffuse(float *a, float *b, int cols, int rows, float by)
{
    __shared__ float s[EDGE][EDGE];
    int x = threadIdx.x, y = threadIdx.y;
    int at = cols * EDGE * blockIdx.y + EDGE * blockIdx.x + cols * y + x;
    int below = cols * EDGE * blockIdx.y + EDGE * blockIdx.x + cols * EDGE + x;
    int inside = at < rows * cols && below < rows * cols;
    s[y][x] = inside ? a[at] : 0;
    __syncthreads();
    float next = y + 1 < EDGE ? s[y + 1][x] : inside ? a[below] : 0;
    b[at] += by * (next - s[y][x]);
}
