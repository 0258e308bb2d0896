// want: order-dependent
// A sum by two atomics: another block's update may come between them.
__global__ void add(int *sum) {
    int seen = atomicAdd(sum, 0);
    atomicExch(sum, seen + 1);
}

int main() {
    int *sum, host;
    cudaMalloc(&sum, sizeof(int));
    cudaMemset(sum, 0, sizeof(int));
    add<<<2, 1>>>(sum);
    cudaMemcpy(&host, sum, sizeof host, cudaMemcpyDeviceToHost);
}
