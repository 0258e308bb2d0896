#include <cstdio>

// The words of each thread lie behind n floats of the kernel's own.
__global__ void own(const float *in, const float3 *body, float *out, int n)
{
    extern __shared__ double tile[];
    const int t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    const int threads = blockDim.x * blockDim.y * blockDim.z, i = blockIdx.x * threads + t;
    for (int j = t; j < n; j += threads) tile[j] = in[j];
    __syncthreads();
    if (i % 13 == 5) return;
    float sum = in[i % n];
    float3 force = make_float3(0, 0, 1);
    int tap[3] = {1, t};
    unsigned bits = i;
    for (int j = 0; j < n; ++j) {
        if ((i + j) % 3 == 0) sum += tile[j];
        force.x += sum * body[j].x;
        force.y = force.x - body[j].y;
        bits = bits << 1 ^ bits >> 31 ^ j;
        for (int k = 0; k < 3; ++k) tap[k] += bits % (k + 5);
    }
    out[i] = sum + force.x + force.y * force.z + tap[0] - tap[1] + tap[2];
}

__global__ void none(const float *in, float *out, int n)
{
    __shared__ char odd[5];
    const int threads = blockDim.x * blockDim.y, t = threadIdx.y * blockDim.x + threadIdx.x;
    if (t < 5) odd[t] = in[t];
    __syncthreads();
    float sum = odd[t % 5];
    int turns = n;
    while (--turns) sum += in[turns % n] * turns;
    out[blockIdx.x * threads + t] = sum;
}

static void run(const float *in, const float3 *body, float *out, dim3 block, int n)
{
    own<<<3, block, 29 * sizeof(double)>>>(in, body, out, n);
    none<<<2, block>>>(in, out + 400, n);
}

int main()
{
    const int n = 29;
    float *in, *out;
    float3 *body;
    cudaMallocManaged(&in, n * sizeof(float));
    cudaMallocManaged(&out, 600 * sizeof(float));
    cudaMallocManaged(&body, n * sizeof(float3));
    for (int i = 0; i < n; ++i) {
        in[i] = i % 7;
        body[i] = make_float3(i % 5, i % 3, 1);
    }
    const dim3 blocks[] = {dim3(61), dim3(7, 9), dim3(64)};
    for (const dim3 &block : blocks) {
        for (int i = 0; i < 600; ++i) out[i] = -1;
        run(in, body, out, block, n);
        cudaDeviceSynchronize();
        for (int i = 0; i < 600; ++i) printf("%.9g\n", out[i]);
    }
    return 0;
}
