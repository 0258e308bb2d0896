// want: nothing, complete: 12 orders
// One block writes, raises a flag, and the others read: each looks at the flag before that, or after.
__global__ void pass(volatile int *flag, int *data, int *out) {
    if (blockIdx.x == 0) {
        *data = 42;
        __threadfence();
        *flag = 1;
    } else {
        while (*flag == 0) {}
        __threadfence();
        out[blockIdx.x] = *data;
    }
}

int main() {
    int *flag, *data, *out, host[3];
    cudaMalloc(&flag, sizeof(int));
    cudaMalloc(&data, sizeof(int));
    cudaMalloc(&out, sizeof host);
    cudaMemset(flag, 0, sizeof(int));
    cudaMemset(out, 0, sizeof host);
    pass<<<3, 1>>>(flag, data, out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
}
