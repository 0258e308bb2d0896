// want: race
// Who is overtaken between two tickets writes a slot that the other one reads.
__global__ void tickets(int *next, int *slot, int *out) {
    int first = atomicAdd(next, 1);
    int second = atomicAdd(next, 1);
    if (second != first + 1) slot[0] = threadIdx.x;
    else if (threadIdx.x == 1) out[0] = slot[0];
}

int main() {
    int *next, *slot, *out;
    cudaMalloc(&next, sizeof(int));
    cudaMalloc(&slot, sizeof(int));
    cudaMalloc(&out, sizeof(int));
    cudaMemset(next, 0, sizeof(int));
    cudaMemset(slot, 0, sizeof(int));
    tickets<<<1, 3>>>(next, slot, out);
    cudaDeviceSynchronize();
}
