// Memory that is none any more, or whose rows have padding: right uses, and what is found at the lines that are marked.
#include <cstdio>
#include <vector>

__global__ void set(int *a) { a[threadIdx.x] = 1; }
__global__ void rows(float *a, size_t pitch, int n) {
    if (threadIdx.x < n) ((float *)((char *)a + blockIdx.x * pitch))[threadIdx.x] = 1;
}
// Reads whole rows, and makes nothing of the padding; the other one sums it up.
__global__ void sums_of_rows(const float *a, size_t pitch, int n, float *sums) {
    const float4 four = ((const float4 *)((const char *)a + blockIdx.x * pitch))[threadIdx.x]; // want: uninitialised
    const float all[] = {four.x, four.y, four.z, four.w};
    for (int i = 0; i < 4; i++)
        if (4 * threadIdx.x + i < n) atomicAdd(&sums[0], all[i]);
}
__global__ void one_too_many(const float *a, size_t pitch, int n, float *sum) {
    *sum = 0;
    for (int i = 0; i <= n; i++) *sum += a[i]; // want: uninitialised
}

int main() {
    int *a, *b, *pinned;
    std::vector<int> host(64);
    cudaMalloc(&a, 256), cudaMalloc(&b, 256), cudaMallocHost(&pinned, 256);
    set<<<1, 64>>>(a);
    cudaMemcpy(b, a, 256, cudaMemcpyDeviceToDevice);
    cudaFree(a);
    cudaMemcpy(host.data(), a, 256, cudaMemcpyDeviceToHost); // want: out-of-bounds
    cudaMemcpy(a + 8, host.data(), 64, cudaMemcpyHostToDevice); // want: out-of-bounds
    cudaMemset(a, 0, 256); // want: out-of-bounds
    cudaMemcpy(host.data(), b, 256, cudaMemcpyDeviceToHost);
    cudaFreeHost(pinned);
    cudaMemcpyAsync(b, pinned, 256, cudaMemcpyHostToDevice); // want: out-of-bounds

    float *image, *sum, shown[2];
    size_t pitch;
    cudaMallocPitch(&image, &pitch, 50 * sizeof(float), 4), cudaMalloc(&sum, 2 * sizeof(float));
    cudaMemset(sum, 0, 2 * sizeof(float));
    rows<<<4, 64>>>(image, pitch, 50);
    sums_of_rows<<<4, 13>>>(image, pitch, 50, sum);
    one_too_many<<<1, 1>>>(image, pitch, 50, sum + 1);
    cudaMemcpy(shown, sum, sizeof shown, cudaMemcpyDeviceToHost);
    printf("%g %g\n", shown[0], shown[1]);
}
