#include <cstdio>
struct P { int x; };
__device__ float helper(const float *p, int k) {
    float s = 0;
    for (int j = 0; j < k; j++)
        s += p[j];
    return s;
}
__global__ void k(const float *__restrict__ a, float *out, int n, int m) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int q, z = 3;
    if (i >= n) return;
    float s = 0;
    const float *p = a + i;
    for (int j = 0; j < m; j++) s += p[j];
    for (int j = 0; j < m; j++)
        for (int l = 0; l < 4; l++)
            s -= p[j + l];
    q = i * 2;
    if (q > 3)
        z = q;
    else if (z < q) { z++; s += z; }
    else
        for (int l = 0; l < 2; ++l)
            z += a[l] > 0 ? l : q;
    switch (z & 3) {
    case 0: q = 1; break;
    case 1: s += q; // comment
        // more
        z--;
    default:
        s += a[q & 7];
    }
    do { z++; s *= 2; } while (z < 10);
    while (z-- > 0)
    {
        s += 1;
    }
    out[i] = s + helper(a, z) + helper(a, q);
}
int main() { float *a, *o; cudaMallocManaged(&a, 4096 * 4); cudaMallocManaged(&o, 4096 * 4);
    for (int i = 0; i < 4096; i++) a[i] = (i * 37) % 101;
    k<<<8, 64>>>(a, o, 500, 6); cudaDeviceSynchronize();
    double t = 0; for (int i = 0; i < 500; i++) { t += o[i]; printf("%g\n", o[i]); } printf("%f\n", t); }
