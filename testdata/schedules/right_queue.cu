// want: nothing, complete: 16 orders
// Blocks take work from a queue until there is none.
__global__ void work(int *next, const int *in, int *out, int n) {
    for (int i = atomicAdd(next, 1); i < n; i = atomicAdd(next, 1)) out[i] = 2 * in[i];
}

int main() {
    int *next, *in, *out, host[3] = {3, 4, 5};
    cudaMalloc(&next, sizeof(int));
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemset(next, 0, sizeof(int));
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    work<<<2, 1>>>(next, in, out, 3);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
}
