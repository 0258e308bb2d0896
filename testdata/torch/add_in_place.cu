// want: nothing
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

__global__ void k(float *x, const float *b, int rows, int columns) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows * columns) x[i] += b[i % columns];
}

void forward(torch::Tensor x, torch::Tensor b) {
    const at::cuda::OptionalCUDAGuard guard(x.device());
    const int rows = x.size(0), columns = x.size(1), n = rows * columns;
    k<<<(n + 127) / 128, 128, 0, at::cuda::getCurrentCUDAStream().stream()>>>(x.data_ptr<float>(), b.data_ptr<float>(), rows, columns);
    C10_CUDA_CHECK(cudaGetLastError());
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("forward", &forward); }
