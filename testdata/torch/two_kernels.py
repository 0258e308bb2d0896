# want: race
import torch
from torch.utils.cpp_extension import load_inline

source = """
__global__ void sums(const float *x, float *part, int n) {
    __shared__ float s[64];
    int i = blockIdx.x * 64 + threadIdx.x;
    s[threadIdx.x] = i < n ? x[i] : 0;
    __syncthreads();
    for (int d = 32; d > 0; d /= 2) {
        if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
        __syncthreads();
    }
    if (threadIdx.x == 0) part[blockIdx.x] = s[0];
}

__global__ void less(const float *x, const float *part, float *y, int blocks, int n) {
    __shared__ float mean;
    if (threadIdx.x == 0) {
        float sum = 0;
        for (int b = 0; b < blocks; b++) sum += part[b];
        mean = sum / n;
    }
    int i = blockIdx.x * 64 + threadIdx.x;
    if (i < n) y[i] = x[i] - mean;
}

torch::Tensor total(torch::Tensor x) {
    int n = x.numel(), blocks = (n + 63) / 64;
    auto part = torch::empty({blocks}, x.options());
    sums<<<blocks, 64>>>(x.data_ptr<float>(), part.data_ptr<float>(), n);
    return part;
}

torch::Tensor forward(torch::Tensor x) {
    int n = x.numel(), blocks = (n + 63) / 64;
    auto part = torch::zeros({blocks}, x.options());
    auto y = torch::empty_like(x);
    sums<<<blocks, 64>>>(x.data_ptr<float>(), part.data_ptr<float>(), n);
    less<<<blocks, 64>>>(x.data_ptr<float>(), part.data_ptr<float>(), y.data_ptr<float>(), blocks, n);
    return y;
}
"""

module = load_inline(name="centred", cpp_sources="", cuda_sources=[source], functions=["total", "forward"])
