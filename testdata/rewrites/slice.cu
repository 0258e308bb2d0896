// Points in the order of their ranks.

__global__ void order(const float2 *points, const int *ranks, float2 *ordered) {
    __shared__ float2 sorted[1024];
    const int t = threadIdx.x;
    const int block = blockIdx.x * 1024;
    float2 v[4];
    for (int i = 0; i < 4; ++i) v[i] = points[block + 256 * i + t];
#pragma unroll
    for (int i = 0; i < 4; ++i) sorted[ranks[block + 256 * i + t] & 1023] = v[i];
    __syncthreads();
    for (int i = 0; i < 4; ++i) ordered[block + 256 * i + t] = sorted[256 * i + t];
}
void run(const float2 *points, const int *ranks, float2 *ordered) { order<<<100, 256>>>(points, ranks, ordered); }
