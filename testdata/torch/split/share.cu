#include <torch/extension.h>

__global__ void share(const int *x, int *y, int parts, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] / (parts - 1);
}

torch::Tensor forward(torch::Tensor x, int parts) {
    auto y = torch::empty_like(x);
    share<<<(x.numel() + 63) / 64, 64>>>(x.data_ptr<int>(), y.data_ptr<int>(), parts, x.numel());
    return y;
}
