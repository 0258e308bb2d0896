// want: unwritten
#include <torch/extension.h>

template <typename scalar_t>
__global__ void bits(const scalar_t *x, int *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = __popcll((unsigned long long)x[i]);
}

torch::Tensor forward(torch::Tensor x) {
    auto y = torch::empty(x.sizes(), torch::TensorOptions().dtype(torch::kInt32).device(x.device()));
    int n = x.numel();
    AT_DISPATCH_INTEGRAL_TYPES(x.scalar_type(), "bits", [&] { bits<scalar_t><<<n / 128 + (n < 128), 128>>>(x.data_ptr<scalar_t>(), y.data_ptr<int>(), n); });
    return y;
}
