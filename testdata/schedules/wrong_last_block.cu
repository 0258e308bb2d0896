// want: order-dependent
// The last block to arrive reads the sum, but blocks arrive before they have added to it.
__global__ void total(int *arrived, int *sum, int *out) {
    int before = atomicAdd(arrived, 1);
    atomicAdd(sum, int(blockIdx.x) + 1);
    if (before == int(gridDim.x) - 1) *out = atomicAdd(sum, 0);
}

int main() {
    int *arrived, *sum, *out, host;
    cudaMalloc(&arrived, sizeof(int));
    cudaMalloc(&sum, sizeof(int));
    cudaMalloc(&out, sizeof(int));
    cudaMemset(arrived, 0, sizeof(int));
    cudaMemset(sum, 0, sizeof(int));
    total<<<3, 1>>>(arrived, sum, out);
    cudaMemcpy(&host, out, sizeof host, cudaMemcpyDeviceToHost);
}
