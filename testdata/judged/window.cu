// Sums of seven neighbours, ROWS elements to a thread, with or without shared memory.
__global__ void window(const float *in, float *out) {
    int first = blockIdx.x * BLOCK * ROWS + threadIdx.x;
#if SHARED
    __shared__ float tile[BLOCK * ROWS + 6];
    for (int i = 0; i < ROWS; i++)
        tile[threadIdx.x + i * BLOCK] = in[first + i * BLOCK];
    if (threadIdx.x < 6)
        tile[BLOCK * ROWS + threadIdx.x] = in[first + BLOCK * ROWS];
    __syncthreads();
#endif
    for (int i = 0; i < ROWS; i++) {
        float sum = 0;
        for (int j = 0; j < 7; j++) {
#if SHARED
            sum += tile[threadIdx.x + i * BLOCK + j];
#else
            sum += in[first + i * BLOCK + j];
#endif
        }
        out[first + i * BLOCK] = sum;
    }
}
