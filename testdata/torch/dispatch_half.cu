// want: nothing
#include <torch/extension.h>

template <typename scalar_t>
__global__ void scale(const scalar_t *__restrict__ x, scalar_t *__restrict__ y, float by, int64_t n) {
    int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
    if (i < n) y[i] = static_cast<scalar_t>(static_cast<float>(x[i]) * by);
}

torch::Tensor forward(torch::Tensor x, double by) {
    TORCH_CHECK(x.is_floating_point(), "x must be floating");
    auto y = torch::empty_like(x);
    const int64_t n = x.numel();
    AT_DISPATCH_FLOATING_TYPES_AND_HALF(x.scalar_type(), "scale", ([&] {
        scale<scalar_t><<<(n + 255) / 256, 256>>>(x.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), float(by), n);
    }));
    return y;
}
