// want: deadlock
// A warp that was overtaken between two looks skips the barrier at which the other one waits for it.
__global__ void exchange(int *flag, int *out) {
    __shared__ int s[64];
    int lane = threadIdx.x % 32, raised = 0;
    if (lane == 0) {
        int before = atomicAdd(flag, 1);
        raised = atomicAdd(flag, 0) != before + 1;
    }
    raised = __shfl_sync(0xffffffff, raised, 0);
    s[threadIdx.x] = raised;
    if (!raised) asm volatile("bar.sync 1, 64;");
    out[threadIdx.x] = s[threadIdx.x] * 0;
}

int main() {
    int *flag, *out;
    cudaMalloc(&flag, sizeof(int));
    cudaMalloc(&out, 64 * sizeof(int));
    cudaMemset(flag, 0, sizeof(int));
    exchange<<<1, 64>>>(flag, out);
    cudaDeviceSynchronize();
}
