# want: nothing
import torch
from torch.utils.cpp_extension import load_inline

source = """
__global__ void k(const float *x, float *y, int columns) {
    __shared__ float part[128];
    const float *row = x + blockIdx.x * columns;
    float most = -1e30f;
    for (int i = threadIdx.x; i < columns; i += blockDim.x) most = fmaxf(most, row[i]);
    part[threadIdx.x] = most;
    __syncthreads();
    for (int s = 64; s > 0; s /= 2) {
        if (threadIdx.x < s) part[threadIdx.x] = fmaxf(part[threadIdx.x], part[threadIdx.x + s]);
        __syncthreads();
    }
    most = part[0];
    __syncthreads();
    float sum = 0;
    for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += expf(row[i] - most);
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int s = 64; s > 0; s /= 2) {
        if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
        __syncthreads();
    }
    for (int i = threadIdx.x; i < columns; i += blockDim.x) y[blockIdx.x * columns + i] = expf(row[i] - most) / part[0];
}

torch::Tensor forward(torch::Tensor x) {
    TORCH_CHECK(x.dim() == 2, "rows and columns");
    auto y = torch::empty_like(x);
    k<<<x.size(0), 128>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.size(1));
    return y;
}
"""

module = load_inline(name="module", cpp_sources="torch::Tensor forward(torch::Tensor x);", cuda_sources=source, functions=["forward"])
