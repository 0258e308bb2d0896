// want: race
// Peterson's lock with its first two lines in the wrong order.
__global__ void count(volatile int *wants, int *turn, int *sum) {
    int me = blockIdx.x, other = 1 - me;
    atomicExch(turn, other);
    wants[me] = 1;
    __threadfence();
    while (wants[other] && *(volatile int *)turn == other) {}
    __threadfence();
    *sum += 1;
    __threadfence();
    wants[me] = 0;
}

int main() {
    int *wants, *turn, *sum, host;
    cudaMalloc(&wants, 2 * sizeof(int));
    cudaMalloc(&turn, sizeof(int));
    cudaMalloc(&sum, sizeof(int));
    cudaMemset(wants, 0, 2 * sizeof(int));
    cudaMemset(turn, 0, sizeof(int));
    cudaMemset(sum, 0, sizeof(int));
    count<<<2, 1>>>(wants, turn, sum);
    cudaMemcpy(&host, sum, sizeof host, cudaMemcpyDeviceToHost);
}
