// ways: vtb named, vtb lock, vtb block
// Parameter packs: forwarded to packs and to parameters, folded, written through; parts of arrays by name.
#include <cstdio>

struct Curve {
    float k[3];
    float scale;
};

template <typename... Ts> __device__ float total(Ts... xs) { return (xs + ... + 0.5f); }
__device__ float three(float a, float b, float c) { return a * b - c; }
template <typename... Ts> __device__ float all(const Ts &...xs) { return total(xs..., 1.0f) + three(xs...) + sizeof...(xs); }
template <typename... Ts> __device__ void fill(float *to, Ts... xs) {
    float list[] = {xs..., 2};
    int i = 0;
    ((to[i++ % 2] += xs), ...);
    to[0] += list[0] + list[sizeof...(xs)];
}

template <typename... Ts> __global__ void spread(const float *in, float *out, Curve curve, Ts... more) {
    __shared__ float s[64];
    __shared__ float edge[2];
    const int t = threadIdx.x;
    s[t] = in[blockIdx.x * 64 + t];
    ((s[t] = s[t] * 0.5f + more), ...);
    if (t == 0) {
        auto &[first, last] = edge;
        first = in[blockIdx.x * 64];
        last = in[blockIdx.x * 64 + 63];
    }
    __syncthreads();
    const auto &[a, b, c] = curve.k;
    auto &[low, high] = edge;
    float own[2] = {low, high};
    fill(own, s[63 - t], more...);
    out[blockIdx.x * 64 + t] = s[63 - t] * a + b * own[0] + c * own[1] + all(s[(t + 1) % 64], more...) + [&]<typename... Us>(Us... us) { return (us * ...); }(t, 3);
}

int main() {
    float h[512], *in, *out;
    for (int i = 0; i < 512; ++i) h[i] = i * 7 % 23;
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&out, sizeof h);
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    spread<<<8, 64>>>(in, out, Curve{{1, 2, 3}, 4}, 2, 1.5f);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 512; i += 37) printf("%g\n", h[i]);
}
