__device__ float half_of(float v) { return v / 2; }
template <class T> __device__ T as(float v) { return (T)v; }
__global__ void product(const float *a, const float *b, float *out, int n) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || col >= n) return;
    float sum = 0;
    for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + col];
    if (sum > 1) {
        int q = n;
        for (int k = 0; k < n; ++k) {
            q += k;
            sum += q * b[col + k];
        }
        out[col] = sum;
    }
    out[row * n + col] = as<float>(sum) + sizeof(float);
}
__global__ void tiled(const float *a, const float *b, float *out, int n) {
    __shared__ float rows[16], columns[16];
    int t = threadIdx.x;
    float sum = 0;
    for (int m = 0; m < n; m += 16) {
        rows[t] = a[m + t];
        columns[t] = b[m * n + blockIdx.x];
        __syncthreads();
        for (int k = 0; k < 16; ++k) sum += rows[k] * columns[k];
        __syncthreads();
    }
    out[blockIdx.x * 16 + t] = sum;
    if (t == 0) out[blockIdx.x] = half_of(columns[0]);
}
__global__ void counts(int *out, const int *in, int *total, int n) {
    int i = blockIdx.x * 64 + threadIdx.x, at = 0, last = 1;
    while (at < n) {
        if (in[at] == i) break;
        at += 2;
    }
    out[i] = in[i] + at;
    last = out[i + 1];
    __syncthreads();
    __threadfence();
    int ticket = atomicAdd(total, last);
    if (ticket == gridDim.x - 1) out[0] = ticket;
}
__global__ void lanes(float *x) {
    float v = x[blockIdx.x * 32 + threadIdx.x];
    v += __shfl_down_sync(0xffffffff, v, 16);
    x += blockIdx.x;
    __syncthreads();
    x[threadIdx.x] = v;
}
void run(const float *a, const float *b, float *out, int *i, int n) {
    dim3 block(16, 16), grid((n + 15) / 16, (n + 15) / 16);
    product<<<grid, block>>>(a, b, out, n);
    tiled<<<n, 16>>>(a, b, out, n);
    counts<<<dim3(n / 64), 64>>>(i, i, i, n);
    lanes<<<n, 32>>>(out);
}
