__device__ float half_of(float v) { return v / 2; }
template <class T> __device__ T as(float v) { return (T)v; }
__global__ void product(const float *a, const float *b, float *out, int n, unsigned smux_grid_x) {
    // smux coarsen along x: this block does the work of blocks 2 * blockIdx.x ... 2 * blockIdx.x + 1 of the original grid.
    enum { COARSEN = 2 };
    const int left = smux_grid_x - COARSEN * blockIdx.x;  // copies beyond these repeat the first, and store nothing
    unsigned block[COARSEN];
    #pragma unroll
    for (int c = 0; c < COARSEN; ++c) block[c] = COARSEN * blockIdx.x + (c < left ? c : 0);
    int col[COARSEN];
    #pragma unroll
    for (int c = 0; c < COARSEN; ++c) col[c] = block[c] * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    bool on[COARSEN], any_on = false;
    #pragma unroll
    for (int c = 0; c < COARSEN; ++c) any_on |= on[c] = c < left && !(row >= n || col[c] >= n);
    if (!any_on) return;
    float sum[COARSEN];
    #pragma unroll
    for (int c = 0; c < COARSEN; ++c) if (on[c]) sum[c] = 0;
    for (int k = 0; k < n; ++k) {
        const float same_a = a[row * n + k];
        #pragma unroll
        for (int c = 0; c < COARSEN; ++c) if (on[c]) sum[c] += same_a * b[k * n + col[c]];
    }
    bool in[COARSEN], any_in = false;
    #pragma unroll
    for (int c = 0; c < COARSEN; ++c) any_in |= in[c] = on[c] && sum[c] > 1;
    if (any_in) {
        int q = n;
        for (int k = 0; k < n; ++k) {
            q += k;
            #pragma unroll
            for (int c = 0; c < COARSEN; ++c) if (in[c]) sum[c] += q * b[col[c] + k];
        }
        #pragma unroll
        for (int c = 0; c < COARSEN; ++c) if (in[c]) out[col[c]] = sum[c];
    }
    #pragma unroll
    for (int c = 0; c < COARSEN; ++c) if (on[c]) out[row * n + col[c]] = as<float>(sum[c]) + sizeof(float);
}
__global__ void tiled(const float *a, const float *b, float *out, int n, unsigned smux_grid_x) {
    // smux coarsen along x: this block does the work of blocks 2 * blockIdx.x ... 2 * blockIdx.x + 1 of the original grid.
    enum { COARSEN = 2 };
    const int left = smux_grid_x - COARSEN * blockIdx.x;  // copies beyond these repeat the first, and store nothing
    unsigned block[COARSEN];
    #pragma unroll
    for (int c = 0; c < COARSEN; ++c) block[c] = COARSEN * blockIdx.x + (c < left ? c : 0);
    __shared__ float rows[16], columns[COARSEN][16];
    int t = threadIdx.x;
    float sum[COARSEN];
    #pragma unroll
    for (int c = 0; c < COARSEN; ++c) sum[c] = 0;
    for (int m = 0; m < n; m += 16) {
        rows[t] = a[m + t];
        #pragma unroll
        for (int c = 0; c < COARSEN; ++c) columns[c][t] = b[m * n + block[c]];
        __syncthreads();
        for (int k = 0; k < 16; ++k) {
            #pragma unroll
            for (int c = 0; c < COARSEN; ++c) sum[c] += rows[k] * columns[c][k];
        }
        __syncthreads();
    }
    #pragma unroll
    for (int c = 0; c < COARSEN; ++c) if (c < left) out[block[c] * 16 + t] = sum[c];
    if (t == 0) {
        #pragma unroll
        for (int c = 0; c < COARSEN; ++c) if (c < left) out[block[c]] = half_of(columns[c][0]);
    }
}
__global__ void counts(int *out, const int *in, int *total, int n, unsigned smux_grid_x) {
    // smux coarsen along x: this block does the work of blocks 2 * blockIdx.x ... 2 * blockIdx.x + 1 of the original grid.
    enum { COARSEN = 2 };
    const int left = smux_grid_x - COARSEN * blockIdx.x;  // copies beyond these do nothing
    unsigned block[COARSEN];
    #pragma unroll
    for (int c = 0; c < COARSEN; ++c) block[c] = COARSEN * blockIdx.x + (c < left ? c : 0);
    int i[COARSEN], at[COARSEN], last[COARSEN];
    #pragma unroll
    for (int c = 0; c < COARSEN; ++c) if (c < left) {
        i[c] = block[c] * 64 + threadIdx.x, at[c] = 0, last[c] = 1;
        while (at[c] < n) {
            if (in[at[c]] == i[c]) break;
            at[c] += 2;
        }
    }
    int out_value[COARSEN];
    #pragma unroll
    for (int c = 0; c < COARSEN; ++c) if (c < left) out_value[c] = in[i[c]] + at[c];
    #pragma unroll
    for (int c = 0; c < COARSEN; ++c) if (c < left) out[i[c]] = out_value[c];
    #pragma unroll
    for (int c = 0; c < COARSEN; ++c) if (c < left) last[c] = out[i[c] + 1];
    __syncthreads();
    __threadfence();
    int ticket[COARSEN];
    #pragma unroll
    for (int c = 0; c < COARSEN; ++c) if (c < left) ticket[c] = atomicAdd(total, last[c]);
    #pragma unroll
    for (int c = 0; c < COARSEN; ++c) if (c < left) if (ticket[c] == smux_grid_x - 1) out[0] = ticket[c];
}
__global__ void lanes(float *x, unsigned smux_grid_x) {
    // smux coarsen along x: this block does the work of blocks 2 * blockIdx.x ... 2 * blockIdx.x + 1 of the original grid.
    enum { COARSEN = 2 };
    const int left = smux_grid_x - COARSEN * blockIdx.x;  // copies beyond these do nothing
    unsigned block[COARSEN];
    #pragma unroll
    for (int c = 0; c < COARSEN; ++c) block[c] = COARSEN * blockIdx.x + (c < left ? c : 0);
    float *own_x[COARSEN];
    #pragma unroll
    for (int c = 0; c < COARSEN; ++c) own_x[c] = x;
    float v[COARSEN];
    #pragma unroll
    for (int c = 0; c < COARSEN; ++c) if (c < left) v[c] = own_x[c][block[c] * 32 + threadIdx.x];
    #pragma unroll
    for (int c = 0; c < COARSEN; ++c) if (c < left) {
        v[c] += __shfl_down_sync(0xffffffff, v[c], 16);
        own_x[c] += block[c];
    }
    __syncthreads();
    #pragma unroll
    for (int c = 0; c < COARSEN; ++c) if (c < left) own_x[c][threadIdx.x] = v[c];
}
void run(const float *a, const float *b, float *out, int *i, int n) {
    dim3 block(16, 16), grid((n + 15) / 16, (n + 15) / 16);
    product<<<dim3(grid.x > 0x7fffffff ? grid.x : (grid.x + 1) / 2, grid.y, grid.z), block>>>(a, b, out, n, grid.x);
    const auto smux_launch2 = dim3(n);
    tiled<<<dim3(smux_launch2.x > 0x7fffffff ? smux_launch2.x : (smux_launch2.x + 1) / 2, smux_launch2.y, smux_launch2.z), 16>>>(a, b, out, n, smux_launch2.x);
    const auto smux_launch3 = dim3(n / 64);
    counts<<<dim3(smux_launch3.x > 0x7fffffff ? smux_launch3.x : (smux_launch3.x + 1) / 2, smux_launch3.y, smux_launch3.z), 64>>>(i, i, i, n, smux_launch3.x);
    const auto smux_launch4 = dim3(n);
    lanes<<<dim3(smux_launch4.x > 0x7fffffff ? smux_launch4.x : (smux_launch4.x + 1) / 2, smux_launch4.y, smux_launch4.z), 32>>>(out, smux_launch4.x);
}
