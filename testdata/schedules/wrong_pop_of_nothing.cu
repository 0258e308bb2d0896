// want: out-of-bounds
// A stack whose number of elements is checked before it is lowered: two threads may both see the last one.
__global__ void pop(int *count, const int *stack, int *out) {
    if (atomicAdd(count, 0) > 0) {
        int at = atomicSub(count, 1) - 1;
        out[threadIdx.x] = stack[at] != 0;
    }
}

int main() {
    int *count, *stack, *out, one = 1;
    cudaMalloc(&count, sizeof(int));
    cudaMalloc(&stack, sizeof(int));
    cudaMalloc(&out, 2 * sizeof(int));
    cudaMemcpy(count, &one, sizeof one, cudaMemcpyHostToDevice);
    cudaMemcpy(stack, &one, sizeof one, cudaMemcpyHostToDevice);
    pop<<<1, 2>>>(count, stack, out);
    cudaDeviceSynchronize();
}
