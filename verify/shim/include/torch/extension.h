// What extensions of PyTorch take from its C++ interface, as far as kernels and the functions around them need it:
// dense tensors on the device, their makers, checks, and the choice of a type. No operators, no autograd.
#pragma once
#include "smux_cpu/names_begin.h"
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cuda_runtime.h"
#include "torch/accessor.h"

namespace c10 {

class Error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

enum class ScalarType : int8_t { Byte, Char, Short, Int, Long, Half, Float, Double, Bool, BFloat16 };
constexpr size_t elementSize(ScalarType t) {
    constexpr size_t bytes[] = {1, 1, 2, 4, 8, 2, 4, 8, 1, 2};
    return bytes[size_t(t)];
}

using Half = __half;
using BFloat16 = __nv_bfloat16;

template <class T> struct type_of;
template <ScalarType> struct type_named;
#define SMUX_TORCH_TYPE(T, name) template <> struct type_of<T> { static constexpr ScalarType value = ScalarType::name; };
#define SMUX_TORCH_NAME(T, name) template <> struct type_named<ScalarType::name> { using type = T; };
SMUX_TORCH_TYPE(uint8_t, Byte)
SMUX_TORCH_TYPE(int8_t, Char)
SMUX_TORCH_TYPE(int16_t, Short)
SMUX_TORCH_TYPE(int, Int)
SMUX_TORCH_TYPE(long, Long)
SMUX_TORCH_TYPE(long long, Long)
SMUX_TORCH_TYPE(__half, Half)
SMUX_TORCH_TYPE(float, Float)
SMUX_TORCH_TYPE(double, Double)
SMUX_TORCH_TYPE(bool, Bool)
SMUX_TORCH_TYPE(__nv_bfloat16, BFloat16)
#undef SMUX_TORCH_TYPE
SMUX_TORCH_NAME(uint8_t, Byte)
SMUX_TORCH_NAME(int8_t, Char)
SMUX_TORCH_NAME(int16_t, Short)
SMUX_TORCH_NAME(int, Int)
SMUX_TORCH_NAME(int64_t, Long)
SMUX_TORCH_NAME(__half, Half)
SMUX_TORCH_NAME(float, Float)
SMUX_TORCH_NAME(double, Double)
SMUX_TORCH_NAME(bool, Bool)
SMUX_TORCH_NAME(__nv_bfloat16, BFloat16)
#undef SMUX_TORCH_NAME

enum class DeviceType : int8_t { CPU, CUDA };
struct Device {
    DeviceType kind = DeviceType::CUDA;
    Device(DeviceType k = DeviceType::CUDA, int = 0) : kind(k) {}
    bool is_cuda() const { return kind == DeviceType::CUDA; }
    bool is_cpu() const { return !is_cuda(); }
    int index() const { return 0; }
    DeviceType type() const { return kind; }
    bool operator==(const Device &o) const { return kind == o.kind; }
    bool operator!=(const Device &o) const { return kind != o.kind; }
};

struct IntArrayRef : std::vector<int64_t> {
    using std::vector<int64_t>::vector;
    IntArrayRef(const std::vector<int64_t> &v) : std::vector<int64_t>(v) {}
    std::vector<int64_t> vec() const { return *this; }
};

using std::nullopt;
template <class T> using optional = std::optional<T>;

struct TensorOptions {
    ScalarType type = ScalarType::Float;
    TensorOptions() = default;
    TensorOptions(ScalarType t) : type(t) {}
    TensorOptions dtype(ScalarType t) const { return TensorOptions(t); }
    TensorOptions device(Device) const { return *this; }
    TensorOptions device(DeviceType, int = 0) const { return *this; }
    TensorOptions requires_grad(bool) const { return *this; }
};

template <class... Words> [[noreturn]] void refuse(const char *condition, const Words &...words) {
    std::ostringstream text;
    ((text << words), ..., (void)0);
    throw Error(text.str().empty() ? std::string("the check ") + condition + " failed" : text.str());
}

}  // namespace c10

namespace at {

using c10::Device;
using c10::IntArrayRef;
using c10::ScalarType;
using c10::TensorOptions;

// What older sources ask for the type of a tensor, and dispatch on.
struct Type {
    ScalarType scalar;
    operator ScalarType() const { return scalar; }
    bool is_cuda() const { return true; }
    ScalarType scalarType() const { return scalar; }
};

class Tensor {
public:
    Tensor() = default;
    Tensor(IntArrayRef sizes, ScalarType type) : sizes_(std::move(sizes)), type_(type) {
        void *p = nullptr;
        const size_t bytes = size_t(numel()) * element_size();
        if (cudaMalloc(&p, bytes ? bytes : 1) != cudaSuccess) throw c10::Error("no memory on the device");
        data_ = std::shared_ptr<void>(p, [](void *q) { cudaFree(q); });
    }
    template <class T> T *data_ptr() const {
        using plain = std::remove_const_t<T>;
        if (c10::type_of<plain>::value != type_) throw c10::Error("data_ptr of another type than the tensor has");
        return static_cast<T *>(data_.get());
    }
    template <class T> T *mutable_data_ptr() const { return data_ptr<T>(); }
    template <class T> const T *const_data_ptr() const { return data_ptr<T>(); }
    template <class T> T *data() const { return data_ptr<T>(); }
    void *data_ptr() const { return data_.get(); }
    bool defined() const { return bool(data_); }
    int64_t dim() const { return int64_t(sizes_.size()); }
    int64_t ndimension() const { return dim(); }
    int64_t size(int64_t i) const {
        if (i < 0) i += dim();
        if (i < 0 || i >= dim()) throw c10::Error("size of a dimension that the tensor has not");
        return sizes_[size_t(i)];
    }
    const IntArrayRef &sizes() const { return sizes_; }
    int64_t stride(int64_t i) const {
        if (i < 0) i += dim();
        int64_t n = 1;
        for (int64_t k = dim() - 1; k > i; k--) n *= sizes_[size_t(k)];
        return n;
    }
    int64_t numel() const {
        int64_t n = 1;
        for (int64_t s : sizes_) n *= s;
        return n;
    }
    size_t element_size() const { return c10::elementSize(type_); }
    size_t itemsize() const { return element_size(); }
    size_t nbytes() const { return size_t(numel()) * element_size(); }
    IntArrayRef strides() const {
        IntArrayRef all(sizes_);
        for (int64_t i = 0; i < dim(); i++) all[size_t(i)] = stride(i);
        return all;
    }
    template <class T, size_t N, template <class> class Traits = DefaultPtrTraits>
    PackedTensorAccessor32<T, N, Traits> packed_accessor32() const {
        return {accessible<T, N>(), sizes_.data(), strides().data()};
    }
    template <class T, size_t N, template <class> class Traits = DefaultPtrTraits>
    PackedTensorAccessor64<T, N, Traits> packed_accessor64() const {
        return {accessible<T, N>(), sizes_.data(), strides().data()};
    }
    template <class T, size_t N, template <class> class Traits = DefaultPtrTraits, class Index = int64_t>
    GenericPackedTensorAccessor<T, N, Traits, Index> generic_packed_accessor() const {
        return {accessible<T, N>(), sizes_.data(), strides().data()};
    }
    template <class T, size_t N, template <class> class Traits = DefaultPtrTraits>
    PackedTensorAccessor64<T, N, Traits> packed_accessor() const {
        return packed_accessor64<T, N, Traits>();
    }
    Type type() const { return {type_}; }
    bool is_floating_point() const {
        return type_ == ScalarType::Float || type_ == ScalarType::Double || type_ == ScalarType::Half || type_ == ScalarType::BFloat16;
    }
    Tensor new_empty(IntArrayRef sizes) const { return Tensor(std::move(sizes), type_); }
    Tensor new_zeros(IntArrayRef sizes) const { return new_empty(std::move(sizes)).zero_(); }
    Tensor view_as(const Tensor &o) const { return shaped(o.sizes_); }
    Tensor unsqueeze(int64_t at) const {
        IntArrayRef sizes = sizes_;
        sizes.insert(sizes.begin() + (at < 0 ? at + dim() + 1 : at), 1);
        return shaped(std::move(sizes));
    }
    Tensor to(ScalarType type) const {
        if (type != type_) throw c10::Error("a conversion to another type, which the stand-in for tensors lacks");
        return *this;
    }
    Tensor cuda() const { return *this; }
    Tensor detach() const { return *this; }
    ScalarType scalar_type() const { return type_; }
    ScalarType dtype() const { return type_; }
    TensorOptions options() const { return TensorOptions(type_); }
    Device device() const { return {}; }
    int get_device() const { return 0; }
    bool is_cuda() const { return true; }
    bool is_contiguous() const { return true; }
    Tensor contiguous() const { return *this; }
    Tensor view(IntArrayRef sizes) const { return shaped(std::move(sizes)); }
    Tensor reshape(IntArrayRef sizes) const { return shaped(std::move(sizes)); }
    Tensor flatten() const { return shaped({numel()}); }
    Tensor clone() const {
        Tensor out(sizes_, type_);
        cudaMemcpy(out.data_ptr(), data_ptr(), nbytes(), cudaMemcpyDeviceToDevice);
        return out;
    }
    Tensor &zero_() {
        cudaMemset(data_.get(), 0, nbytes());
        return *this;
    }
    Tensor &fill_(double value) {
        std::vector<char> host(nbytes());
        for (int64_t i = 0; i < numel(); i++) put(host.data(), i, value);
        cudaMemcpy(data_.get(), host.data(), nbytes(), cudaMemcpyHostToDevice);
        return *this;
    }
    // Writes a number as an element of the tensor's type.
    void put(char *host, int64_t i, double value) const {
        char *to = host + size_t(i) * element_size();
        switch (type_) {
        case ScalarType::Byte: *reinterpret_cast<uint8_t *>(to) = uint8_t(value); break;
        case ScalarType::Char: *reinterpret_cast<int8_t *>(to) = int8_t(value); break;
        case ScalarType::Short: *reinterpret_cast<int16_t *>(to) = int16_t(value); break;
        case ScalarType::Int: *reinterpret_cast<int *>(to) = int(value); break;
        case ScalarType::Long: *reinterpret_cast<int64_t *>(to) = int64_t(value); break;
        case ScalarType::Half: *reinterpret_cast<__half *>(to) = __half(float(value)); break;
        case ScalarType::Float: *reinterpret_cast<float *>(to) = float(value); break;
        case ScalarType::Double: *reinterpret_cast<double *>(to) = value; break;
        case ScalarType::Bool: *reinterpret_cast<bool *>(to) = value != 0; break;
        case ScalarType::BFloat16: *reinterpret_cast<__nv_bfloat16 *>(to) = __nv_bfloat16(float(value)); break;
        }
    }

private:
    template <class T, size_t N> T *accessible() const {
        if (dim() != int64_t(N)) throw c10::Error("an accessor of another number of dimensions than the tensor has");
        return data_ptr<T>();
    }
    Tensor shaped(IntArrayRef sizes) const {
        int64_t known = 1;
        for (int64_t s : sizes) known *= s < 0 ? 1 : s;
        for (int64_t &s : sizes)
            if (s < 0) s = numel() / known;
        Tensor out = *this;
        out.sizes_ = std::move(sizes);
        if (out.numel() != numel()) throw c10::Error("a view with another number of elements");
        return out;
    }
    std::shared_ptr<void> data_;
    IntArrayRef sizes_;
    ScalarType type_ = ScalarType::Float;
};

inline Tensor empty(IntArrayRef sizes, TensorOptions o = {}) { return Tensor(std::move(sizes), o.type); }
inline Tensor zeros(IntArrayRef sizes, TensorOptions o = {}) { return empty(std::move(sizes), o).zero_(); }
inline Tensor full(IntArrayRef sizes, double value, TensorOptions o = {}) { return empty(std::move(sizes), o).fill_(value); }
inline Tensor ones(IntArrayRef sizes, TensorOptions o = {}) { return full(std::move(sizes), 1, o); }
inline Tensor empty_like(const Tensor &t) { return empty(t.sizes(), t.options()); }
inline Tensor empty_like(const Tensor &t, TensorOptions o) { return empty(t.sizes(), o); }
inline Tensor zeros_like(const Tensor &t) { return zeros(t.sizes(), t.options()); }
inline Tensor ones_like(const Tensor &t) { return ones(t.sizes(), t.options()); }
inline Tensor full_like(const Tensor &t, double value) { return full(t.sizes(), value, t.options()); }

inline Tensor zeros_like(const Tensor &t, TensorOptions o) { return zeros(t.sizes(), o); }
inline Tensor ones_like(const Tensor &t, TensorOptions o) { return ones(t.sizes(), o); }
inline Tensor full_like(const Tensor &t, double value, TensorOptions o) { return full(t.sizes(), value, o); }
inline Tensor arange(int64_t end, TensorOptions o = ScalarType::Long) {
    Tensor t = empty({end}, o);
    std::vector<char> host(t.nbytes());
    for (int64_t i = 0; i < end; i++) t.put(host.data(), i, double(i));
    cudaMemcpy(t.data_ptr(), host.data(), t.nbytes(), cudaMemcpyHostToDevice);
    return t;
}

constexpr auto kByte = ScalarType::Byte, kChar = ScalarType::Char, kShort = ScalarType::Short, kInt = ScalarType::Int, kLong = ScalarType::Long,
               kHalf = ScalarType::Half, kFloat = ScalarType::Float, kDouble = ScalarType::Double, kBool = ScalarType::Bool,
               kBFloat16 = ScalarType::BFloat16, kUInt8 = kByte, kInt8 = kChar, kInt16 = kShort, kInt32 = kInt, kInt64 = kLong,
               kFloat16 = kHalf, kFloat32 = kFloat, kFloat64 = kDouble;
constexpr auto kCUDA = c10::DeviceType::CUDA, kCPU = c10::DeviceType::CPU;
using Half = c10::Half;
using BFloat16 = c10::BFloat16;

namespace cuda {
struct CUDAStream {
    cudaStream_t stream() const { return nullptr; }
    operator cudaStream_t() const { return nullptr; }
};
inline CUDAStream getCurrentCUDAStream(int = 0) { return {}; }
struct CUDAGuard {
    template <class Device> explicit CUDAGuard(const Device &) {}
};
struct OptionalCUDAGuard {
    template <class... Devices> explicit OptionalCUDAGuard(const Devices &...) {}
};
}  // namespace cuda

}  // namespace at

namespace c10 {
namespace cuda {
using at::cuda::CUDAGuard;
using at::cuda::CUDAStream;
using at::cuda::getCurrentCUDAStream;
using at::cuda::OptionalCUDAGuard;
}  // namespace cuda
}  // namespace c10

namespace torch {
using namespace at;
using c10::optional;
using at::Tensor;
using at::TensorOptions;
using at::PackedTensorAccessor32;
using at::PackedTensorAccessor64;
using at::GenericPackedTensorAccessor;
using at::RestrictPtrTraits;
using at::DefaultPtrTraits;
using at::TensorAccessor;
namespace cuda = at::cuda;
inline Device device(c10::DeviceType kind) { return Device(kind); }
inline TensorOptions dtype(ScalarType t) { return TensorOptions(t); }
}  // namespace torch

namespace smux_torch {
struct module {
    template <class... What> module &def(What &&...) { return *this; }
};
}  // namespace smux_torch

#define TORCH_CHECK_EQ(a, b) TORCH_CHECK((a) == (b))
#define TORCH_CHECK_NE(a, b) TORCH_CHECK((a) != (b))
#define TORCH_CHECK_LT(a, b) TORCH_CHECK((a) < (b))
#define TORCH_CHECK_LE(a, b) TORCH_CHECK((a) <= (b))
#define TORCH_CHECK_GT(a, b) TORCH_CHECK((a) > (b))
#define TORCH_CHECK_GE(a, b) TORCH_CHECK((a) >= (b))
#define TORCH_EXTENSION_NAME smux_torch_extension
#define PYBIND11_MODULE(name, m) inline void smux_torch_##m([[maybe_unused]] smux_torch::module &m)

#define TORCH_CHECK(condition, ...) ((condition) ? (void)0 : c10::refuse(#condition, ##__VA_ARGS__))
#define AT_ASSERTM TORCH_CHECK
#define AT_ASSERT TORCH_CHECK
#define TORCH_INTERNAL_ASSERT TORCH_CHECK
#define AT_CUDA_CHECK(call) TORCH_CHECK((call) == cudaSuccess, "a call of the CUDA runtime failed")
#define C10_CUDA_CHECK AT_CUDA_CHECK
#define C10_CUDA_KERNEL_LAUNCH_CHECK() AT_CUDA_CHECK(cudaGetLastError())

#include "torch/dispatch.h"
#include "smux_cpu/names_end.h"
