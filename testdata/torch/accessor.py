# want: nothing
import torch
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>

template <typename scalar_t>
__global__ void gate(const torch::PackedTensorAccessor32<scalar_t, 3, torch::RestrictPtrTraits> gates,
                     torch::PackedTensorAccessor32<scalar_t, 2, torch::RestrictPtrTraits> out) {
    const int row = blockIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= gates.size(2)) return;
    auto of_row = gates[row];
    scalar_t sum = 0;
    for (int k = 0; k < gates.size(1); k++) sum += of_row[k][column];
    out[row][column] = sum / (1 + exp(-sum));
}

torch::Tensor gated(torch::Tensor gates) {
    auto out = torch::empty({gates.size(0), gates.size(2)}, gates.options());
    const dim3 blocks((gates.size(2) + 15) / 16, gates.size(0));
    AT_DISPATCH_FLOATING_TYPES(gates.scalar_type(), "gate", ([&] {
        gate<scalar_t><<<blocks, 16>>>(gates.packed_accessor32<scalar_t, 3, torch::RestrictPtrTraits>(),
                                       out.packed_accessor32<scalar_t, 2, torch::RestrictPtrTraits>());
    }));
    return out;
}

torch::Tensor forward(torch::Tensor gates) { return gated(gates.contiguous()); }
"""

module = load_inline(name="gate", cpp_sources="torch::Tensor forward(torch::Tensor gates);", cuda_sources=cuda_source, functions=["forward"])
