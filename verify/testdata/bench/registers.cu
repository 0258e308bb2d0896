// A loop that holds eight sums in registers, with a defect of each kind that the checked build sees at a load or a store.
#include <cstdio>

__global__ void sums(const float *in, double *out, int *wrong, int n, int large) {
    __shared__ int part[64];
    double a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0;
    for (int i = 0; i < n; i++) {
        const int far = wrong[n + i];                // out of bounds
        const int raced = wrong[(threadIdx.x + i) % 4];
        const int unwritten = part[i % 64];          // by nobody
        const int overflows = in[(large + i > 0 ? i : 0) % n] > 0;  // large + i is more than int holds, once
        const float x = in[i] + (far == 12345) + (unwritten == 12345) + (raced == 12345) + (overflows == 12345);
        a += x, b += 2 * x, c += 3 * x, d += 4 * x, e += 5 * x, f += 6 * x, g += 7 * x, h += 8 * x;
        wrong[i % 4] = 1;
    }
    double *mine = out + threadIdx.x * 8;
    mine[0] = a, mine[1] = b, mine[2] = c, mine[3] = d, mine[4] = e, mine[5] = f, mine[6] = g, mine[7] = h;
}

int main() {
    const int n = 100, threads = 8;
    float values[n];
    double sums_of[threads * 8];
    for (int i = 0; i < n; i++) values[i] = i * 0.25f;
    float *in;
    double *out;
    int *wrong;
    cudaMalloc(&in, sizeof values);
    cudaMalloc(&out, sizeof sums_of);
    cudaMalloc(&wrong, n * sizeof *wrong);
    cudaMemcpy(in, values, sizeof values, cudaMemcpyHostToDevice);
    cudaMemset(wrong, 0, n * sizeof *wrong);
    sums<<<1, threads>>>(in, out, wrong, n, 2147483647 - 50);
    cudaMemcpy(sums_of, out, sizeof sums_of, cudaMemcpyDeviceToHost);
    for (int i = 0; i < threads * 8; i++) printf("%g\n", sums_of[i]);
}
