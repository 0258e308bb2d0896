# want: nothing
import torch
from torch.utils.cpp_extension import load_inline

cuda_source = """
__global__ void axpy(const float *x, float *y, float a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i];
}

void launch_axpy(const float *x, float *y, float a, int n) { axpy<<<(n + 127) / 128, 128>>>(x, y, a, n); }
"""

cpp_source = """
#include <torch/extension.h>

void launch_axpy(const float *x, float *y, float a, int n);

torch::Tensor forward(torch::Tensor x, torch::Tensor y, double a) {
    TORCH_CHECK(x.sizes() == y.sizes(), "sizes differ");
    auto out = y.clone();
    launch_axpy(x.data_ptr<float>(), out.data_ptr<float>(), float(a), int(x.numel()));
    return out;
}
"""

module = load_inline("axpy", cpp_sources=[cpp_source], cuda_sources=[cuda_source], functions=["forward"], extra_cuda_cflags=["-O3"])
