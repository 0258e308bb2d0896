# want: uninitialised
import torch
from torch.utils.cpp_extension import load_inline

source = r"""
__global__ void k(const float *x, float *y, int n) {
    __shared__ float s[258];
    int i = blockIdx.x * 256 + threadIdx.x;
    s[threadIdx.x + 1] = i < n ? x[i] : 0;
    __syncthreads();
    if (i < n) y[i] = s[threadIdx.x] + s[threadIdx.x + 2];
}

torch::Tensor forward(torch::Tensor x) {
    auto y = torch::empty_like(x);
    const int n = x.numel();
    k<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
    return y;
}
"""

module = load_inline(name="module", cpp_sources="torch::Tensor forward(torch::Tensor x);", cuda_sources=source, functions=["forward"])
