// want: out-of-bounds
#include <torch/extension.h>

template <typename scalar_t>
__global__ void reverse(const scalar_t *x, scalar_t *y, int n) {
    extern __shared__ unsigned char bytes[];
    scalar_t *tile = reinterpret_cast<scalar_t *>(bytes);
    int first = blockIdx.x * blockDim.x, count = min(n - first, int(blockDim.x));
    if (int(threadIdx.x) < count) tile[threadIdx.x] = x[first + threadIdx.x];
    __syncthreads();
    if (int(threadIdx.x) < count) y[first + threadIdx.x] = tile[count - 1 - threadIdx.x];
}

// Enough for float, but double is dispatched to as well.
torch::Tensor forward(torch::Tensor x) {
    auto y = torch::zeros_like(x);
    AT_DISPATCH_FLOATING_TYPES(x.type(), "reverse", ([&] {
        reverse<scalar_t><<<(x.numel() + 63) / 64, 64, 64 * sizeof(float)>>>(x.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), x.numel());
    }));
    return y;
}
