// want: nothing, complete
// Two launches of a lock that serves in the order in which tickets were drawn.
__global__ void count(int *next, volatile int *serving, int *sum) {
    int mine = atomicAdd(next, 1);
    while (*serving != mine) __nanosleep(20);
    __threadfence();
    *sum += 1;
    __threadfence();
    *serving = mine + 1;
}

int main() {
    int *next, *serving, *sum, host;
    cudaMalloc(&next, sizeof(int));
    cudaMalloc(&serving, sizeof(int));
    cudaMalloc(&sum, sizeof(int));
    cudaMemset(next, 0, sizeof(int));
    cudaMemset(serving, 0, sizeof(int));
    cudaMemset(sum, 0, sizeof(int));
    count<<<1, 2>>>(next, serving, sum);
    count<<<2, 1>>>(next, serving, sum);
    cudaMemcpy(&host, sum, sizeof host, cudaMemcpyDeviceToHost);
}
