// want: nothing
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

template <typename scalar_t> __global__ void k(const scalar_t *__restrict__ x, scalar_t *__restrict__ out, int n) {
    __shared__ scalar_t part[64];
    scalar_t sum = 0;
    for (int i = threadIdx.x; i < n; i += 64) sum += x[i];
    part[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 1; i < 64; i++) sum += part[i];
        out[0] = sum;
    }
}

torch::Tensor forward(const torch::Tensor &x) {
    auto out = torch::zeros({1}, x.options());
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "sum", ([&] {
        k<scalar_t><<<1, 64>>>(x.data_ptr<scalar_t>(), out.data_ptr<scalar_t>(), x.numel());
    }));
    return out;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("forward", &forward); }
