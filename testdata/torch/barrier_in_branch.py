# want: deadlock
import torch
from torch.utils.cpp_extension import load_inline

source = """
__global__ void k(const float *x, float *y, int n) {
    __shared__ float s[256];
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) {
        s[threadIdx.x] = x[i];
        if (threadIdx.x % 2 == 0) __syncthreads(); else asm volatile("bar.sync 1, 256;");
        y[i] = s[threadIdx.x];
    }
}

torch::Tensor forward(torch::Tensor x) {
    auto y = torch::empty_like(x);
    const int n = x.numel();
    k<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
    return y;
}
"""

module = load_inline(name="module", cpp_sources="torch::Tensor forward(torch::Tensor x);", cuda_sources=source, functions=["forward"])
