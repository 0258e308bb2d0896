# want: unwritten
import torch
from torch.utils.cpp_extension import load_inline

source = """
__global__ void k(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = fmaxf(x[i] - 8, 0);
}

torch::Tensor forward(torch::Tensor x) {
    auto y = torch::empty_like(x);
    const int n = x.numel();
    k<<<n / 256 + (n < 256), 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
    return y;
}
"""

module = load_inline(name="module", cpp_sources="torch::Tensor forward(torch::Tensor x);", cuda_sources=source, functions=["forward"])
