// want: race
// A lock that is looked at and taken in two steps: two threads may find it free.
__global__ void count(volatile int *lock, int *sum) {
    while (*lock) {}
    __threadfence();
    *lock = 1;
    __threadfence();
    *sum += 1;
    __threadfence();
    *lock = 0;
}

int main() {
    int *lock, *sum, host;
    cudaMalloc(&lock, sizeof(int));
    cudaMalloc(&sum, sizeof(int));
    cudaMemset(lock, 0, sizeof(int));
    cudaMemset(sum, 0, sizeof(int));
    count<<<1, 2>>>(lock, sum);
    cudaMemcpy(&host, sum, sizeof host, cudaMemcpyDeviceToHost);
}
