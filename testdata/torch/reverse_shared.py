# want: nothing
import torch
from torch.utils.cpp_extension import load_inline

source = """
__global__ void k(const float *x, float *y, int n) {
    extern __shared__ float s[];
    for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = x[i];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = s[n - 1 - i];
}

torch::Tensor forward(torch::Tensor x) {
    auto y = torch::empty_like(x);
    const int n = x.numel();
    k<<<1, 256, n * sizeof(float)>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
    return y;
}
"""

module = load_inline(name="module", cpp_sources="torch::Tensor forward(torch::Tensor x);", cuda_sources=source, functions=["forward"])
