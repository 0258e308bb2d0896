// want: nothing, complete
// The largest of some floats by compare and swap, one warp's after the other's.
__global__ void largest(const float *in, int *bits) {
    float mine = in[threadIdx.x];
    for (int d = 16; d > 0; d /= 2) mine = fmaxf(mine, __shfl_down_sync(0xffffffff, mine, d));
    if (threadIdx.x % 32 != 0) return;
    int seen = atomicAdd(bits, 0);
    while (__int_as_float(seen) < mine) {
        int found = atomicCAS(bits, seen, __float_as_int(mine));
        if (found == seen) break;
        seen = found;
    }
}

int main() {
    float values[64];
    for (int i = 0; i < 64; i++) values[i] = float(i * 37 % 64);
    float *in;
    int *bits, host;
    cudaMalloc(&in, sizeof values);
    cudaMalloc(&bits, sizeof(int));
    cudaMemcpy(in, values, sizeof values, cudaMemcpyHostToDevice);
    cudaMemset(bits, 0, sizeof(int));
    largest<<<1, 64>>>(in, bits);
    cudaMemcpy(&host, bits, sizeof host, cudaMemcpyDeviceToHost);
}
