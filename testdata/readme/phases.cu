#define THREADS 256
#define ROWS 20

// Adds three neighbours of each row, squares the sums, and turns each row round.
__global__ void features(const float *in, float *out, int pitch) {
    __shared__ float tile[ROWS][THREADS];
    __shared__ float ranks[ROWS][THREADS];
    const int t = threadIdx.x;
    for (int r = 0; r < ROWS; ++r) tile[r][t] = in[(blockIdx.x * ROWS + r) * pitch + t];
    __syncthreads();
    float sum[ROWS];
    for (int r = 0; r < ROWS; ++r) sum[r] = tile[r][t] + tile[r][(t + 1) % THREADS] + tile[r][(t + 2) % THREADS];
    for (int r = 0; r < ROWS; ++r) ranks[r][t] = sum[r] * sum[r];
    __syncthreads();
    for (int r = 0; r < ROWS; ++r) out[(blockIdx.x * ROWS + r) * pitch + t] = ranks[r][THREADS - 1 - t] - sum[r];
}

void run(const float *in, float *out, int pitch, int tiles) {
    features<<<tiles, THREADS>>>(in, out, pitch);
}
