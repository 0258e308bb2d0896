// want: nothing, complete
// A lock around a sum that is no atomic.
__global__ void count(int *lock, int *sum) {
    while (atomicCAS(lock, 0, 1) != 0) {}
    __threadfence();
    *sum += 1;
    __threadfence();
    atomicExch(lock, 0);
}

int main() {
    int *lock, *sum, host;
    cudaMalloc(&lock, sizeof(int));
    cudaMalloc(&sum, sizeof(int));
    cudaMemset(lock, 0, sizeof(int));
    cudaMemset(sum, 0, sizeof(int));
    count<<<3, 1>>>(lock, sum);
    cudaMemcpy(&host, sum, sizeof host, cudaMemcpyDeviceToHost);
}
