// want: misaligned
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

__global__ void k(const float *x, float *y, int columns) {
    const float *row = x + blockIdx.x * columns;
    float *to = y + blockIdx.x * columns;
    int i = threadIdx.x * 4;
    for (; i + 3 < columns; i += 128) {
        float4 v = *reinterpret_cast<const float4 *>(row + i);
        *reinterpret_cast<float4 *>(to + i) = v;
    }
    for (; i < columns && i < columns / 4 * 4 + 4; i++) to[i] = row[i];
}

torch::Tensor forward(torch::Tensor x) {
    TORCH_CHECK(x.dim() == 2, "rows and columns");
    auto y = torch::empty_like(x);
    k<<<x.size(0), 32>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.size(1));
    return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("forward", &forward); }
