// want: no-progress
// Each thread takes two locks, in opposite orders.
__device__ void take(int *lock) {
    while (atomicCAS(lock, 0, 1) != 0) {}
}

__global__ void swap(int *locks, int *sum) {
    int first = threadIdx.x, second = 1 - threadIdx.x;
    take(&locks[first]);
    take(&locks[second]);
    atomicAdd(sum, 1);
    atomicExch(&locks[second], 0);
    atomicExch(&locks[first], 0);
}

int main() {
    int *locks, *sum, host;
    cudaMalloc(&locks, 2 * sizeof(int));
    cudaMalloc(&sum, sizeof(int));
    cudaMemset(locks, 0, 2 * sizeof(int));
    cudaMemset(sum, 0, sizeof(int));
    swap<<<1, 2>>>(locks, sum);
    cudaMemcpy(&host, sum, sizeof host, cudaMemcpyDeviceToHost);
    return host != 2;
}
