__global__ void reverse(int *a) {
    __shared__ int s[64];
    s[threadIdx.x] = a[threadIdx.x];
    a[threadIdx.x] = s[63 - threadIdx.x];
}

int main() {
    int host[64] = {}, *a;
    cudaMalloc(&a, sizeof host);
    cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice);
    reverse<<<1, 64>>>(a);
    cudaMemcpy(host, a, sizeof host, cudaMemcpyDeviceToHost);
}
