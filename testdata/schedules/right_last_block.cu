// want: nothing, complete: 24 orders
// The block that arrives last adds up what all have written.
__global__ void total(const int *in, int *parts, int *arrived, int *out) {
    __shared__ bool last;
    int part = in[2 * blockIdx.x] + in[2 * blockIdx.x + 1];
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = part;
        __threadfence();
        last = atomicAdd(arrived, 1) == int(gridDim.x) - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int sum = 0;
        for (unsigned i = 0; i < gridDim.x; i++) sum += parts[i];
        *out = sum;
    }
}

int main() {
    int *in, *parts, *arrived, *out, host, values[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    cudaMalloc(&in, sizeof values);
    cudaMalloc(&parts, 4 * sizeof(int));
    cudaMalloc(&arrived, sizeof(int));
    cudaMalloc(&out, sizeof(int));
    cudaMemcpy(in, values, sizeof values, cudaMemcpyHostToDevice);
    cudaMemset(arrived, 0, sizeof(int));
    total<<<4, 2>>>(in, parts, arrived, out);
    cudaMemcpy(&host, out, sizeof host, cudaMemcpyDeviceToHost);
}
