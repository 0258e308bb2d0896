// want: nothing, complete: 1 order
// Nobody looks at what atomicAdd returns.
__global__ void histogram(const int *in, int *bins) {
    atomicAdd(&bins[in[threadIdx.x] % 2], 1);
}

int main() {
    int *in, *bins, host[2], values[16];
    for (int i = 0; i < 16; i++) values[i] = i * i;
    cudaMalloc(&in, sizeof values);
    cudaMalloc(&bins, sizeof host);
    cudaMemcpy(in, values, sizeof values, cudaMemcpyHostToDevice);
    cudaMemset(bins, 0, sizeof host);
    histogram<<<1, 16>>>(in, bins);
    cudaMemcpy(host, bins, sizeof host, cudaMemcpyDeviceToHost);
}
