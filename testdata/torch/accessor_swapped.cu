// want: out-of-bounds
#include <torch/extension.h>

__global__ void turn(torch::PackedTensorAccessor64<float, 2> x, torch::PackedTensorAccessor64<float, 2> y) {
    int row = blockIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column < x.size(1)) y[column][row] = x[row][column];
}

// y has the sizes of x, not those of what is turned.
torch::Tensor forward(torch::Tensor x) {
    auto y = torch::zeros_like(x);
    turn<<<dim3((x.size(1) + 31) / 32, x.size(0)), 32>>>(x.packed_accessor64<float, 2>(), y.packed_accessor64<float, 2>());
    return y;
}
