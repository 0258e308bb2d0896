__global__ void add(const float *a, float *b) {
    b[threadIdx.x] += a[threadIdx.x];
}
void run(const float *a, float *b, dim3 block) {
    add<<<1, block>>>(a, b);
}
