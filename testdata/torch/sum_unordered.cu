// want: race
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

template <typename scalar_t> __global__ void k(const scalar_t *__restrict__ x, scalar_t *__restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[0] += x[i];
}

torch::Tensor forward(const torch::Tensor &x) {
    auto out = torch::zeros({1}, x.options());
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "sum", ([&] {
        k<scalar_t><<<(x.numel() + 63) / 64, 64>>>(x.data_ptr<scalar_t>(), out.data_ptr<scalar_t>(), x.numel());
    }));
    return out;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("forward", &forward); }
