// More of them: images, matrices, graphs, sorts, networks, one-warp and one-thread kernels.
#include <cuda_fp16.h>

__global__ void reverse_two(const float *in, float *out)
{
    __shared__ float tile[96];
    tile[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    out[(gridDim.x - 1 - blockIdx.x) * blockDim.x + threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

__global__ void histogram_mod(const int *values, int *bins, int n, int nbins)
{
    extern __shared__ int h[];
    for (int b = threadIdx.x; b < nbins; b += blockDim.x) h[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        atomicAdd(&h[values[i] % nbins], 1);
    __syncthreads();
    for (int b = threadIdx.x; b < nbins; b += blockDim.x) atomicAdd(&bins[b], h[b]);
}

__global__ void histogram_values(const int *values, int *bins, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(bins + values[i], 1);
}

__global__ void reduce_shared(const float *in, float *out, int n)
{
    __shared__ float sdata[256];
    unsigned tid = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    sdata[tid] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s) sdata[tid] += sdata[tid + s];
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = sdata[0];
}

__global__ void reduce_dynamic(const int *in, int *out)
{
    extern __shared__ int sd[];
    unsigned tid = threadIdx.x, i = blockIdx.x * (blockDim.x * 2) + threadIdx.x;
    sd[tid] = in[i] + in[i + blockDim.x];
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s) sd[tid] += sd[tid + s];
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = sd[0];
}

__global__ void reduce_shuffle(const float *in, float *out, int n)
{
    float v = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) v += in[i];
    for (int o = 16; o > 0; o /= 2) v += __shfl_down_sync(0xffffffff, v, o);
    if ((threadIdx.x & 31) == 0) atomicAdd(out, v);
}

__global__ void warp_sum(const float *in, float *out)
{
    float v = in[threadIdx.x];
    for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(~0u, v, o);
    if (threadIdx.x == 0) out[0] = v;
}

__global__ void stencil_ends(const float *u, float *v, int n)
{
    __shared__ float s[66];
    int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x + 1;
    s[t] = i < n ? u[i] : 0;
    if (threadIdx.x == 0) s[0] = i > 0 ? u[i - 1] : 0;
    if (threadIdx.x == blockDim.x - 1) s[t + 1] = i + 1 < n ? u[i + 1] : 0;
    __syncthreads();
    if (i > 0 && i < n - 1) v[i] = 0.5f * s[t] + 0.25f * (s[t - 1] + s[t + 1]);
}

__global__ void stencil_2d(const float *in, float *out, int width, int height)
{
    __shared__ float tile[18][18];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    int cx = min(max(x - 1, 0), width - 1), cy = min(max(y - 1, 0), height - 1);
    tile[threadIdx.y][threadIdx.x] = in[cy * width + cx];
    if (threadIdx.x < 2) tile[threadIdx.y][threadIdx.x + 16] = in[cy * width + min(cx + 16, width - 1)];
    if (threadIdx.y < 2) tile[threadIdx.y + 16][threadIdx.x] = in[min(cy + 16, height - 1) * width + cx];
    if (threadIdx.x < 2 && threadIdx.y < 2)
        tile[threadIdx.y + 16][threadIdx.x + 16] = in[min(cy + 16, height - 1) * width + min(cx + 16, width - 1)];
    __syncthreads();
    if (x < width && y < height)
        out[y * width + x] = 0.2f * (tile[threadIdx.y + 1][threadIdx.x + 1] + tile[threadIdx.y][threadIdx.x + 1] + tile[threadIdx.y + 2][threadIdx.x + 1] +
                                     tile[threadIdx.y + 1][threadIdx.x] + tile[threadIdx.y + 1][threadIdx.x + 2]);
}

__global__ void transpose_guarded(const double *a, double *b, int rows, int cols)
{
    __shared__ double t[16][17];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x < cols && y < rows) t[threadIdx.y][threadIdx.x] = a[y * cols + x];
    __syncthreads();
    x = blockIdx.y * 16 + threadIdx.x;
    y = blockIdx.x * 16 + threadIdx.y;
    if (x < rows && y < cols) b[y * rows + x] = t[threadIdx.x][threadIdx.y];
}

__global__ void matvec_rows(const float *m, const float *v, float *r, int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float s = 0;
    for (int c = 0; c < cols; c++) s += m[row * cols + c] * v[c];
    r[row] = s;
}

__global__ void copy_float4(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4) reinterpret_cast<float4 *>(out)[i] = reinterpret_cast<const float4 *>(in)[i];
    if (i == 0)
        for (int k = n / 4 * 4; k < n; k++) out[k] = in[k];
}

__global__ void matmul_tiled(const float *a, const float *b, float *c, int n)
{
    __shared__ float as[16][16], bs[16][16];
    int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    float s = 0;
    for (int m = 0; m < n / 16; m++) {
        as[threadIdx.y][threadIdx.x] = a[row * n + m * 16 + threadIdx.x];
        bs[threadIdx.y][threadIdx.x] = b[(m * 16 + threadIdx.y) * n + col];
        __syncthreads();
        for (int k = 0; k < 16; k++) s += as[threadIdx.y][k] * bs[k][threadIdx.x];
        __syncthreads();
    }
    c[row * n + col] = s;
}

__global__ void matmul_plain(const float *a, const float *b, float *c, int m, int n, int k)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < m && col < n) {
        float s = 0;
        for (int i = 0; i < k; i++) s += a[row * k + i] * b[i * n + col];
        c[row * n + col] = s;
    }
}

__global__ void one_thread(float *sum, const float *parts, int n)
{
    float s = 0;
    for (int i = 0; i < n; i++) s += parts[i];
    *sum = s;
}

__global__ void find_string(const char *text, int n, const char *pattern, int m, int *first)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + m > n) return;
    for (int k = 0; k < m; k++)
        if (text[i + k] != pattern[k]) return;
    atomicMin(first, i);
}

__global__ void bitonic_step(float *v, int j, int k)
{
    unsigned i = threadIdx.x + blockDim.x * blockIdx.x, other = i ^ j;
    if (other > i) {
        if ((i & k) == 0 && v[i] > v[other] || (i & k) != 0 && v[i] < v[other]) {
            float t = v[i];
            v[i] = v[other];
            v[other] = t;
        }
    }
}

__global__ void odd_even(int *a, int n, int phase)
{
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + phase;
    if (i + 1 < n && a[i] > a[i + 1]) {
        int t = a[i];
        a[i] = a[i + 1];
        a[i + 1] = t;
    }
}

__constant__ float taps[9] = {1, 2, 3, 4, 5, 4, 3, 2, 1};
__global__ void filter_rows(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s = 0;
    for (int k = -4; k <= 4; k++)
        if (i + k >= 0 && i + k < n) s += taps[k + 4] * in[i + k];
    out[i] = s;
}

__global__ void gather(const int *index, const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[index[i]];
}

__global__ void saxpy(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}

__global__ void softmax_row(const float *in, float *out, int cols)
{
    __shared__ float red[32];
    const float *x = in + blockIdx.x * cols;
    float m = -1e30f;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) m = fmaxf(m, x[c]);
    for (int o = 16; o > 0; o >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffff, m, o));
    if (threadIdx.x % 32 == 0) red[threadIdx.x / 32] = m;
    __syncthreads();
    m = red[0];
    for (int w = 1; w < blockDim.x / 32; w++) m = fmaxf(m, red[w]);
    __syncthreads();
    float s = 0;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) s += expf(x[c] - m);
    for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffff, s, o);
    if (threadIdx.x % 32 == 0) red[threadIdx.x / 32] = s;
    __syncthreads();
    s = 0;
    for (int w = 0; w < blockDim.x / 32; w++) s += red[w];
    for (int c = threadIdx.x; c < cols; c += blockDim.x) out[blockIdx.x * cols + c] = expf(x[c] - m) / s;
}

__global__ void reverse_global(float *d, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 2) {
        float t = d[i];
        d[i] = d[n - 1 - i];
        d[n - 1 - i] = t;
    }
}

__global__ void init_random(unsigned *state, unsigned seed)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    state[i] = seed ^ (i * 2654435761u);
}

__global__ void lcg_step(unsigned long long *state, float *out, int n, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long s = state[i];
    for (int k = 0; k < steps; k++) {
        s = s * 6364136223846793005ull + 1442695040888963407ull;
        out[k * n + i] = (s >> 40) * (1.0f / (1 << 24));
    }
    state[i] = s;
}

__device__ void philox_round(uint4 &c, uint2 k)
{
    unsigned hi0 = __umulhi(0xD2511F53u, c.x), lo0 = 0xD2511F53u * c.x;
    unsigned hi1 = __umulhi(0xCD9E8D57u, c.z), lo1 = 0xCD9E8D57u * c.z;
    c = make_uint4(hi1 ^ c.y ^ k.x, lo1, hi0 ^ c.w ^ k.y, lo0);
}
__global__ void philox(float4 *out, unsigned long long seed, unsigned offset, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint4 c = make_uint4(i, offset, 0, 0);
    uint2 k = make_uint2((unsigned)seed, (unsigned)(seed >> 32));
    for (int r = 0; r < 10; r++) {
        philox_round(c, k);
        k.x += 0x9E3779B9u;
        k.y += 0xBB67AE85u;
    }
    const float s = 2.3283064e-10f;
    out[i] = make_float4(c.x * s, c.y * s, c.z * s, c.w * s);
}

__global__ void layernorm(const float *x, const float *gamma, const float *beta, float *y, int cols, float eps)
{
    __shared__ float sum[256], square[256];
    const float *row = x + blockIdx.x * cols;
    float s = 0, q = 0;
    for (int c = threadIdx.x; c < cols; c += 256) {
        s += row[c];
        q += row[c] * row[c];
    }
    sum[threadIdx.x] = s;
    square[threadIdx.x] = q;
    __syncthreads();
    for (int k = 128; k > 0; k >>= 1) {
        if (threadIdx.x < k) {
            sum[threadIdx.x] += sum[threadIdx.x + k];
            square[threadIdx.x] += square[threadIdx.x + k];
        }
        __syncthreads();
    }
    float mean = sum[0] / cols, inv = rsqrtf(square[0] / cols - mean * mean + eps);
    for (int c = threadIdx.x; c < cols; c += 256) y[blockIdx.x * cols + c] = (row[c] - mean) * inv * gamma[c] + beta[c];
}

__global__ void embedding(const int *tokens, const float *table, float *out, int dim)
{
    int t = blockIdx.x;
    const float *row = table + tokens[t] * dim;
    for (int d = threadIdx.x; d < dim; d += blockDim.x) out[t * dim + d] = row[d];
}

__global__ void embedding_backward(const int *tokens, const float *grad, float *table_grad, int dim, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count * dim) return;
    atomicAdd(&table_grad[tokens[i / dim] * dim + i % dim], grad[i]);
}

__global__ void rope(float *q, const float *cosines, const float *sines, int heads, int size)
{
    int t = blockIdx.x, h = blockIdx.y, i = threadIdx.x;
    if (i >= size / 2) return;
    float *v = q + (t * heads + h) * size;
    float c = cosines[t * (size / 2) + i], s = sines[t * (size / 2) + i];
    float a = v[2 * i], b = v[2 * i + 1];
    v[2 * i] = a * c - b * s;
    v[2 * i + 1] = a * s + b * c;
}

__global__ void gelu_half2(__half2 *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 2) x[i] = __hadd2(x[i], x[i]);
}

__global__ void image_gray(const uchar4 *in, unsigned char *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    uchar4 p = in[y * width + x];
    out[y * width + x] = (299 * p.x + 587 * p.y + 114 * p.z) / 1000;
}

__global__ void image_blur(const unsigned char *in, unsigned char *out, int width, int height, int pitch, int radius)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    int s = 0, c = 0;
    for (int dy = -radius; dy <= radius; dy++)
        for (int dx = -radius; dx <= radius; dx++) {
            int u = min(max(x + dx, 0), width - 1), v = min(max(y + dy, 0), height - 1);
            s += in[v * pitch + u];
            c++;
        }
    out[y * pitch + x] = s / c;
}

__global__ void image_flip(uchar3 *image, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height / 2) return;
    uchar3 t = image[y * width + x];
    image[y * width + x] = image[(height - 1 - y) * width + x];
    image[(height - 1 - y) * width + x] = t;
}

__global__ void laplace_3d(const float *u, float *v, int nx, int ny, int nz)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y, k = blockIdx.z * blockDim.z + threadIdx.z;
    if (i < 1 || j < 1 || k < 1 || i >= nx - 1 || j >= ny - 1 || k >= nz - 1) return;
    int c = (k * ny + j) * nx + i;
    v[c] = u[c - 1] + u[c + 1] + u[c - nx] + u[c + nx] + u[c - nx * ny] + u[c + nx * ny] - 6 * u[c];
}

__global__ void fill_3d(int *a, dim3 size)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
    if (x < size.x && y < size.y && z < size.z) a[(z * size.y + y) * size.x + x] = x + y + z;
}

__global__ void bfs_level(const int *offsets, const int *edges, int *level, int depth, int vertices, int *changed)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= vertices || level[v] != depth) return;
    for (int e = offsets[v]; e < offsets[v + 1]; e++)
        if (atomicCAS(&level[edges[e]], -1, depth + 1) == -1) *changed = 1;
}

__global__ void bfs_frontier(const int *offsets, const int *edges, const int *frontier, int *next, int *next_size, int *visited, int size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= size) return;
    int v = frontier[i];
    for (int e = offsets[v]; e < offsets[v + 1]; e++) {
        int w = edges[e];
        if (atomicExch(&visited[w], 1) == 0) next[atomicAdd(next_size, 1)] = w;
    }
}

__global__ void page_rank(const int *in_offsets, const int *in_edges, const int *out_degree, const float *rank, float *next, int n, float d)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    float s = 0;
    for (int e = in_offsets[v]; e < in_offsets[v + 1]; e++) s += rank[in_edges[e]] / out_degree[in_edges[e]];
    next[v] = (1 - d) / n + d * s;
}

__global__ void spmv_warp(const int *ptr, const int *cols, const float *vals, const float *x, float *y, int rows)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
    if (warp >= rows) return;
    float s = 0;
    for (int k = ptr[warp] + lane; k < ptr[warp + 1]; k += 32) s += vals[k] * x[cols[k]];
    for (int o = 16; o > 0; o >>= 1) s += __shfl_down_sync(0xffffffff, s, o);
    if (lane == 0) y[warp] = s;
}

__global__ void spmv_ell(const int *cols, const float *vals, const float *x, float *y, int rows, int width)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float s = 0;
    for (int k = 0; k < width; k++) {
        int c = cols[k * rows + r];
        if (c >= 0) s += vals[k * rows + r] * x[c];
    }
    y[r] = s;
}

__global__ void spmv_coo(const int *row, const int *col, const float *val, const float *x, float *y, int nnz)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < nnz; i += gridDim.x * blockDim.x) atomicAdd(&y[row[i]], val[i] * x[col[i]]);
}

__global__ void lookup_shared(const unsigned char *in, unsigned char *out, const unsigned char *table, int n)
{
    __shared__ unsigned char t[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) t[i] = table[i];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = t[in[i]];
}

__constant__ unsigned crc_table[256];
__global__ void crc_blocks(const unsigned char *data, unsigned *crc, int length, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    unsigned c = ~0u;
    for (int k = 0; k < length; k++) c = crc_table[(c ^ data[i * length + k]) & 255] ^ (c >> 8);
    crc[i] = ~c;
}

__global__ void digit_counts(const unsigned *keys, int *counts, int n, int shift)
{
    __shared__ int c[16];
    if (threadIdx.x < 16) c[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&c[(keys[i] >> shift) & 15], 1);
    __syncthreads();
    if (threadIdx.x < 16) counts[threadIdx.x * gridDim.x + blockIdx.x] = c[threadIdx.x];
}

__global__ void compact(const int *in, int *out, int *count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] > 10) out[atomicAdd(count, 1)] = in[i];
}

__global__ void compact_scan(const int *flags, const int *positions, const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && flags[i]) out[positions[i]] = in[i];
}

__global__ void merge_path(const int *a, int na, const int *b, int nb, int *c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= na + nb) return;
    int lo = max(0, i - nb), hi = min(i, na);
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        if (a[mid] < b[i - 1 - mid]) lo = mid + 1;
        else hi = mid;
    }
    bool from_a = lo < na && (i - lo >= nb || a[lo] <= b[i - lo]);
    c[i] = from_a ? a[lo] : b[i - lo];
}

__global__ void binary_search(const float *sorted, int n, const float *keys, int *at, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m) return;
    int lo = 0, hi = n;
    while (lo < hi) {
        int mid = lo + (hi - lo) / 2;
        if (sorted[mid] < keys[i]) lo = mid + 1;
        else hi = mid;
    }
    at[i] = lo;
}

__global__ void rank_sort(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int r = 0;
    for (int k = 0; k < n; k++) r += in[k] < in[i] || (in[k] == in[i] && k < i);
    out[r] = in[i];
}

__global__ void odd_even_shared(int *data)
{
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = data[t];
    s[t + 128] = data[t + 128];
    for (int p = 0; p < 256; p++) {
        __syncthreads();
        int i = 2 * t + (p & 1);
        if (i + 1 < 256 && s[i] > s[i + 1]) {
            int x = s[i];
            s[i] = s[i + 1];
            s[i + 1] = x;
        }
    }
    __syncthreads();
    data[t] = s[t];
    data[t + 128] = s[t + 128];
}

__global__ void floyd_step(int *dist, int n, int k)
{
    int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && j < n && i != k && j != k) dist[i * n + j] = min(dist[i * n + j], dist[i * n + k] + dist[k * n + j]);
}

__global__ void gauss_row(float *a, int n, int pivot)
{
    int row = pivot + 1 + blockIdx.x, col = pivot + 1 + threadIdx.x;
    if (row >= n) return;
    float f = a[row * n + pivot] / a[pivot * n + pivot];
    for (; col < n; col += blockDim.x) a[row * n + col] -= f * a[pivot * n + col];
}

__global__ void nbody(const float4 *pos, float4 *acc, int n)
{
    __shared__ float4 tile[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 p = i < n ? pos[i] : make_float4(0, 0, 0, 0);
    float3 a = {0, 0, 0};
    for (int base = 0; base < n; base += blockDim.x) {
        tile[threadIdx.x] = base + threadIdx.x < n ? pos[base + threadIdx.x] : make_float4(0, 0, 0, 0);
        __syncthreads();
        for (int k = 0; k < blockDim.x; k++) {
            float dx = tile[k].x - p.x, dy = tile[k].y - p.y, dz = tile[k].z - p.z;
            float r = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-9f), f = tile[k].w * r * r * r;
            a.x += dx * f;
            a.y += dy * f;
            a.z += dz * f;
        }
        __syncthreads();
    }
    if (i < n) acc[i] = make_float4(a.x, a.y, a.z, 0);
}

__global__ void fft_radix2(float2 *x, int n, int half)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n / 2) return;
    int i = (t / half) * 2 * half + t % half, j = i + half;
    float angle = -3.14159265f * (t % half) / half, c = cosf(angle), s = sinf(angle);
    float2 a = x[i], b = x[j], w = make_float2(b.x * c - b.y * s, b.x * s + b.y * c);
    x[i] = make_float2(a.x + w.x, a.y + w.y);
    x[j] = make_float2(a.x - w.x, a.y - w.y);
}

__global__ void bit_reverse(const float2 *in, float2 *out, int bits)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[__brev(i) >> (32 - bits)] = in[i];
}

__global__ void walsh(float *d, int log2n)
{
    extern __shared__ float s[];
    int n = 1 << log2n;
    for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = d[i];
    for (int stride = n / 2; stride > 0; stride >>= 1) {
        __syncthreads();
        for (int p = threadIdx.x; p < n / 2; p += blockDim.x) {
            int lo = p & (stride - 1), i = 2 * (p - lo) + lo, j = i + stride;
            float a = s[i], b = s[j];
            s[i] = a + b;
            s[j] = a - b;
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) d[i] = s[i];
}

__global__ void clock_once(long long *t)
{
    t[blockIdx.x] = clock64();
}

__global__ void last_block_sum(const float *in, float *partial, unsigned *done, float *out, int n)
{
    __shared__ float s[128];
    __shared__ bool last;
    float v = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += in[i];
    s[threadIdx.x] = v;
    __syncthreads();
    for (int k = blockDim.x / 2; k > 0; k >>= 1) {
        if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = s[0];
        __threadfence();
        last = atomicInc(done, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        float sum = 0;
        for (int b = 0; b < gridDim.x; b++) sum += ((volatile float *)partial)[b];
        *out = sum;
    }
}

__global__ void add_one(int *a)
{
    *a += 1;
}

__global__ void swap_two(float *a, int i, int j)
{
    float t = a[i];
    a[i] = a[j];
    a[j] = t;
}

__global__ void linked_list(const int *next, int *length)
{
    int n = 0;
    for (int i = 0; i >= 0 && n < 1000; i = next[i] - 1) n++;
    *length = n;
}

__global__ void parse_digits(const char *text, int *value, int n)
{
    int v = 0;
    for (int i = 0; i < n && text[i] >= '0' && text[i] <= '9'; i++) v = v * 10 + (text[i] - '0');
    *value = v;
}

__global__ void queue_pop(int *head, const int *tail, const int *items, int *out)
{
    int h = *head;
    if (h != *tail) {
        *out = items[h];
        *head = h + 1;
    }
}

__global__ void warp_scan(const int *in, int *out)
{
    int lane = threadIdx.x, v = in[lane];
    for (int o = 1; o < 32; o <<= 1) {
        int u = __shfl_up_sync(0xffffffff, v, o);
        if (lane >= o) v += u;
    }
    out[lane] = v;
}

__global__ void warp_ballot_compact(const int *in, int *out, int *count)
{
    int lane = threadIdx.x & 31, v = in[threadIdx.x];
    unsigned m = __ballot_sync(0xffffffff, v > 5);
    if (v > 5) out[__popc(m & ((1u << lane) - 1))] = v;
    if (lane == 0) *count = __popc(m);
}

__global__ void warp_bitonic(float *v)
{
    float x = v[threadIdx.x];
    for (int k = 2; k <= 32; k <<= 1)
        for (int j = k >> 1; j > 0; j >>= 1) {
            float y = __shfl_xor_sync(~0u, x, j);
            bool up = (threadIdx.x & k) == 0, low = (threadIdx.x & j) == 0;
            x = (up == low) ? fminf(x, y) : fmaxf(x, y);
        }
    v[threadIdx.x] = x;
}

__global__ void warp_row_sum(const float *m, float *sums, int rows, int cols)
{
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    float s = 0;
    for (int c = lane; c < cols; c += 32) s += m[row * cols + c];
    for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(0xffffffff, s, o);
    if (lane == 0) sums[row] = s;
}

__global__ void warp_shared_stage(const float *in, float *out)
{
    __shared__ float s[32];
    s[threadIdx.x] = in[threadIdx.x];
    __syncwarp();
    out[threadIdx.x] = s[31 - threadIdx.x];
}

#define N_BINS 64
__global__ void histogram_per_warp(const unsigned char *in, unsigned *out, int n)
{
    __shared__ unsigned h[8][N_BINS];
    int warp = threadIdx.x / 32;
    for (int i = threadIdx.x; i < 8 * N_BINS; i += blockDim.x) h[i / N_BINS][i % N_BINS] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&h[warp][in[i] >> 2], 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < N_BINS; b += blockDim.x) {
        unsigned s = 0;
        for (int w = 0; w < 8; w++) s += h[w][b];
        atomicAdd(&out[b], s);
    }
}

__global__ void histogram_ints(const int *in, int *out, int n)
{
    __shared__ int h[32];
    if (threadIdx.x < 32) h[threadIdx.x] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&h[in[i]], 1);
    __syncthreads();
    if (threadIdx.x < 32) atomicAdd(&out[threadIdx.x], h[threadIdx.x]);
}

__global__ void histogram_floats(const float *in, int *out, int n, float low, float high, int bins)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int b = (int)((in[i] - low) / (high - low) * bins);
    if (b >= 0 && b < bins) atomicAdd(&out[b], 1);
}

__global__ void median_3x3(const unsigned char *in, unsigned char *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;
    unsigned char v[9];
    int k = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) v[k++] = in[(y + dy) * w + x + dx];
    for (int i = 0; i < 9; i++)
        for (int j = i + 1; j < 9; j++)
            if (v[j] < v[i]) {
                unsigned char t = v[i];
                v[i] = v[j];
                v[j] = t;
            }
    out[y * w + x] = v[4];
}

__global__ void sobel_shared(const float *in, float *out, int w, int h)
{
    __shared__ float t[10][10];
    int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    for (int j = threadIdx.y; j < 10; j += 8)
        for (int i = threadIdx.x; i < 10; i += 8) {
            int u = min(max((int)blockIdx.x * 8 + i - 1, 0), w - 1), v = min(max((int)blockIdx.y * 8 + j - 1, 0), h - 1);
            t[j][i] = in[v * w + u];
        }
    __syncthreads();
    if (x < w && y < h) {
        float gx = t[threadIdx.y][threadIdx.x + 2] - t[threadIdx.y][threadIdx.x];
        float gy = t[threadIdx.y + 2][threadIdx.x] - t[threadIdx.y][threadIdx.x];
        out[y * w + x] = sqrtf(gx * gx + gy * gy);
    }
}

__global__ void integral_rows(const unsigned *in, unsigned *out, int width, int height)
{
    int y = blockIdx.x * blockDim.x + threadIdx.x;
    if (y >= height) return;
    unsigned s = 0;
    for (int x = 0; x < width; x++) {
        s += in[y * width + x];
        out[y * width + x] = s;
    }
}

__global__ void integral_columns(unsigned *m, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= width) return;
    for (int y = 1; y < height; y++) m[y * width + x] += m[(y - 1) * width + x];
}

__global__ void resize_nearest(const uchar4 *src, int sw, int sh, int spitch, uchar4 *dst, int dw, int dh, int dpitch)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= dw || y >= dh) return;
    int u = x * sw / dw, v = y * sh / dh;
    dst[y * dpitch + x] = src[v * spitch + u];
}

__global__ void yuv_to_rgb(const unsigned char *y, const unsigned char *uv, uchar3 *rgb, int width, int height)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= width || j >= height) return;
    int l = y[j * width + i], u = uv[(j / 2) * width + (i & ~1)] - 128, v = uv[(j / 2) * width + (i | 1)] - 128;
    rgb[j * width + i] = make_uchar3(min(255, max(0, l + v)), min(255, max(0, l - u - v)), min(255, max(0, l + u)));
}

__global__ void max_pool(const float *in, float *out, int channels, int height, int width, int size, int stride)
{
    int oh = (height - size) / stride + 1, ow = (width - size) / stride + 1;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= channels * oh * ow) return;
    int x = i % ow, y = i / ow % oh, c = i / (ow * oh);
    float m = -1e30f;
    for (int dy = 0; dy < size; dy++)
        for (int dx = 0; dx < size; dx++) m = fmaxf(m, in[(c * height + y * stride + dy) * width + x * stride + dx]);
    out[i] = m;
}

__global__ void im2col(const float *im, float *col, int channels, int height, int width, int k, int pad)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= channels * height * width) return;
    int x = i % width, y = i / width % height, c = i / (width * height);
    for (int a = 0; a < k; a++)
        for (int b = 0; b < k; b++) {
            int u = x + b - pad, v = y + a - pad;
            col[((c * k + a) * k + b) * height * width + y * width + x] = u >= 0 && v >= 0 && u < width && v < height ? im[(c * height + v) * width + u] : 0;
        }
}

__global__ void batch_norm(float *x, const float *mean, const float *var, const float *g, const float *b, int channels, int spatial, float eps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, c = blockIdx.y;
    if (i >= spatial || c >= channels) return;
    float *p = x + (blockIdx.z * channels + c) * spatial + i;
    *p = (*p - mean[c]) * rsqrtf(var[c] + eps) * g[c] + b[c];
}

__global__ void attention_scores(const float *q, const float *k, float *s, int heads, int length, int size)
{
    int h = blockIdx.z, i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= length || j >= length) return;
    float v = 0;
    for (int d = 0; d < size; d++) v += q[(h * length + i) * size + d] * k[(h * length + j) * size + d];
    s[(h * length + i) * length + j] = v * rsqrtf(size);
}

__global__ void cross_entropy(const float *logits, const int *targets, float *loss, int n, int classes)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float m = -1e30f, s = 0;
    for (int c = 0; c < classes; c++) m = fmaxf(m, logits[i * classes + c]);
    for (int c = 0; c < classes; c++) s += expf(logits[i * classes + c] - m);
    loss[i] = logf(s) + m - logits[i * classes + targets[i]];
}

__global__ void adam(float *p, float *m, float *v, const float *g, int n, float lr, float b1, float b2, float eps, int t)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    m[i] = b1 * m[i] + (1 - b1) * g[i];
    v[i] = b2 * v[i] + (1 - b2) * g[i] * g[i];
    p[i] -= lr * (m[i] / (1 - powf(b1, t))) / (sqrtf(v[i] / (1 - powf(b2, t))) + eps);
}

__global__ void dot_product(const float *a, const float *b, float *c, int n)
{
    __shared__ float cache[256];
    int t = threadIdx.x + blockIdx.x * blockDim.x;
    float s = 0;
    while (t < n) {
        s += a[t] * b[t];
        t += blockDim.x * gridDim.x;
    }
    cache[threadIdx.x] = s;
    __syncthreads();
    int i = blockDim.x / 2;
    while (i != 0) {
        if (threadIdx.x < i) cache[threadIdx.x] += cache[threadIdx.x + i];
        __syncthreads();
        i /= 2;
    }
    if (threadIdx.x == 0) c[blockIdx.x] = cache[0];
}

__global__ void heat_2d(float *out, const float *in, const float *fixed, int dim)
{
    int x = threadIdx.x + blockIdx.x * blockDim.x, y = threadIdx.y + blockIdx.y * blockDim.y;
    int o = x + y * blockDim.x * gridDim.x;
    int l = x == 0 ? o : o - 1, r = x == dim - 1 ? o : o + 1, t = y == 0 ? o : o - dim, b = y == dim - 1 ? o : o + dim;
    out[o] = fixed[o] != 0 ? fixed[o] : in[o] + 0.25f * (in[t] + in[b] + in[l] + in[r] - in[o] * 4);
}

struct Sphere { float r, g, b, radius, x, y, z; };
__global__ void ray_trace(const Sphere *s, int count, unsigned char *bitmap)
{
    int x = threadIdx.x + blockIdx.x * blockDim.x, y = threadIdx.y + blockIdx.y * blockDim.y, o = x + y * blockDim.x * gridDim.x;
    float best = -1e30f, r = 0;
    for (int i = 0; i < count; i++) {
        float dx = x - s[i].x, dy = y - s[i].y;
        if (dx * dx + dy * dy < s[i].radius * s[i].radius) {
            float dz = sqrtf(s[i].radius * s[i].radius - dx * dx - dy * dy);
            if (dz + s[i].z > best) best = dz + s[i].z, r = s[i].r;
        }
    }
    bitmap[o * 4] = (int)(r * 255);
    bitmap[o * 4 + 3] = 255;
}

__global__ void julia(unsigned char *p, int dim)
{
    int x = blockIdx.x, y = blockIdx.y, o = x + y * gridDim.x;
    float a = 1.5f * (dim / 2 - x) / (dim / 2), b = 1.5f * (dim / 2 - y) / (dim / 2);
    int i;
    for (i = 0; i < 20; i++) {
        float t = a * a - b * b - 0.8f;
        b = 2 * a * b + 0.156f;
        a = t;
        if (a * a + b * b > 1000) break;
    }
    p[o] = i;
}

__global__ void life(const unsigned char *in, unsigned char *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    int n = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx != 0 || dy != 0) n += in[((y + dy + height) % height) * width + (x + dx + width) % width] & 1;
    out[y * width + x] = n == 3 || (n == 2 && (in[y * width + x] & 1));
}

__global__ void needleman_diagonal(int *score, const int *match, int n, int d, int gap)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + 1, j = d - i;
    if (i >= n || j < 1 || j >= n) return;
    int m = score[(i - 1) * n + j - 1] + match[i * n + j];
    score[i * n + j] = max(m, max(score[(i - 1) * n + j] - gap, score[i * n + j - 1] - gap));
}

__global__ void red_black(float *u, int n, int color)
{
    int i = blockIdx.y * blockDim.y + threadIdx.y + 1, j = blockIdx.x * blockDim.x + threadIdx.x + 1;
    if (i < n - 1 && j < n - 1 && (i + j) % 2 == color) u[i * n + j] = 0.25f * (u[(i - 1) * n + j] + u[(i + 1) * n + j] + u[i * n + j - 1] + u[i * n + j + 1]);
}

__global__ void kmeans_assign(const float *points, const float *centers, int *label, int n, int k, int dims)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float best = 1e30f;
    for (int c = 0; c < k; c++) {
        float s = 0;
        for (int d = 0; d < dims; d++) {
            float x = points[d * n + i] - centers[c * dims + d];
            s += x * x;
        }
        if (s < best) best = s, label[i] = c;
    }
}

__global__ void kmeans_sum(const float *points, const int *label, float *sums, int *counts, int n, int k)
{
    extern __shared__ float s[];
    for (int c = threadIdx.x; c < k; c += blockDim.x) s[c] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(&s[label[i] % k], points[i]);
        atomicAdd(&counts[label[i] % k], 1);
    }
    __syncthreads();
    for (int c = threadIdx.x; c < k; c += blockDim.x) atomicAdd(&sums[c], s[c]);
}

__global__ void scan_add_sums(int *data, const int *sums)
{
    __shared__ int add;
    if (threadIdx.x == 0) add = sums[blockIdx.x];
    __syncthreads();
    data[blockIdx.x * blockDim.x + threadIdx.x] += add;
}

__global__ void radix_scatter(const unsigned *in, unsigned *out, const int *zeros_before, int bit, int total_zeros, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned v = in[i];
    int z = zeros_before[i];
    out[(v >> bit) & 1 ? total_zeros + i - z : z] = v;
}

__global__ void ring_buffer(const float *in, float *ring, int *position, int capacity, int n)
{
    int i = threadIdx.x;
    int p = *position;
    __syncthreads();
    if (i < n) ring[(p + i) % capacity] = in[i];
    if (i == 0) *position = (p + n) % capacity;
}

__global__ void double_buffered(const float *in, float *out, int tiles)
{
    __shared__ float buf[2][128];
    buf[0][threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    float s = 0;
    for (int t = 0; t < tiles; t++) {
        if (t + 1 < tiles) buf[(t + 1) & 1][threadIdx.x] = in[(t + 1) * 128 + threadIdx.x];
        s += buf[t & 1][127 - threadIdx.x];
        __syncthreads();
    }
    out[threadIdx.x] = s;
}

template <int BLOCK, class T>
__global__ void reduce_template(const T *in, T *out, int n)
{
    __shared__ T s[BLOCK];
    T v = 0;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += BLOCK * gridDim.x) v += in[i];
    s[threadIdx.x] = v;
    __syncthreads();
    for (int k = BLOCK / 2; k > 0; k /= 2) {
        if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}
template __global__ void reduce_template<128, float>(const float *, float *, int);
