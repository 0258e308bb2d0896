// want: nothing
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

__global__ void k(const float *x, float *y, int n) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (i + 3 < n) {
        float4 v = *reinterpret_cast<const float4 *>(x + i);
        v.x *= 2; v.y *= 2; v.z *= 2; v.w *= 2;
        *reinterpret_cast<float4 *>(y + i) = v;
    } else {
        for (; i < n; i++) y[i] = 2 * x[i];
    }
}

torch::Tensor forward(torch::Tensor x) {
    auto y = torch::empty_like(x);
    const int n = x.numel();
    k<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
    return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("forward", &forward); }
