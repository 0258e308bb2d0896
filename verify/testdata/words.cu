#include <cstdio>

__device__ float3 operator+(float3 a, float3 b) { return make_float3(a.x + b.x, a.y + b.y, a.z + b.z); }
__device__ float squared(float3 v) { return v.x * v.x + v.y * v.y + v.z * v.z; }

__device__ float blend(const float *mass, int j, float with)
{
    float part = mass[j];
    if (j & 1) return part;
    for (int k = 0; k < 3; ++k) part = part * 0.5f + with;
    return part;
}

__global__ void forces(const float3 *body, const float *mass, float3 *out, double *energy, int n)
{
    __shared__ float tile[40];
    const int t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    const int i = blockIdx.x * 40 + t;
    tile[t] = i < n ? mass[i] : 0;
    __syncthreads();
    if (i >= n) return;
    float sum = 0.f;  // of the masses
    double wide = 0;
    const float *p = mass;
    float3 force = make_float3(0, 0, 0);
    float tap[4] = {1.f, 2.f};
    unsigned bits = 1;
    long long big = 3;
    float left = body[i].x, /* of the first */ other = left * 2, right{mass[i]};
    for (int j = 0; j < n; ++j) {
        float scale;
        if ((i + j) % 3 == 0) scale = tile[j % 40];
        else scale = 2;
        force = force + body[j];
        sum += *p++ * scale;
        bits = bits << 1 ^ bits >> 31;
        big *= bits;
        --big;
        big <<= 1;
        wide += sum + squared(force) + blend(mass, j, scale);
        for (int k = 0; k < 4; ++k) tap[k] += sum;
        force.x = left = right + other;
        left++;
        left -= other > 3 ? 1 : 2;
        if (left > 1e6f) break;
    }
    for (int k = 0; k < 4; ++k) sum *= tap[k] * 0.01f;
    out[i] = force;
    energy[i] = wide + sum + tap[2] + bits + big;
}

int main()
{
    const int n = 90;
    float3 *body, *out;
    float *mass;
    double *energy;
    cudaMallocManaged(&body, n * sizeof(float3));
    cudaMallocManaged(&out, n * sizeof(float3));
    cudaMallocManaged(&mass, n * sizeof(float));
    cudaMallocManaged(&energy, n * sizeof(double));
    for (int i = 0; i < n; ++i) {
        body[i] = make_float3(i % 7, i % 5, i % 3);
        mass[i] = i % 11;
    }
    forces<<<(n + 39) / 40, dim3(5, 4, 2)>>>(body, mass, out, energy, n);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; ++i) printf("%.17g %.9g %.9g %.9g\n", energy[i], out[i].x, out[i].y, out[i].z);
    return 0;
}
