// What extensions of PyTorch take from its C++ interface, as far as kernels and the functions around them need it:
// tensors on the device, their makers, views and simplest operations, checks, and the choice of a type. No autograd.
#pragma once
#include "smux_cpu/names_begin.h"
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <memory>
#include <numeric>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "cuda_runtime.h"
#include "torch/half.h"
#include "torch/accessor.h"

#define C10_HOST_DEVICE __host__ __device__
#define C10_DEVICE __device__
#define C10_HOST __host__
#define C10_ALWAYS_INLINE inline
#define C10_RESTRICT __restrict__
#define C10_UNUSED [[maybe_unused]]
#define C10_WARP_SIZE 32
#define C10_LAUNCH_BOUNDS_0
#define C10_LAUNCH_BOUNDS_1(threads)
#define C10_LAUNCH_BOUNDS_2(threads, blocks)

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

constexpr const char *toString(ScalarType t) {
    constexpr const char *names[] = {"Byte", "Char", "Short", "Int", "Long", "Half", "Float", "Double", "Bool", "BFloat16"};
    return names[size_t(t)];
}
inline std::ostream &operator<<(std::ostream &out, ScalarType t) { return out << toString(t); }
constexpr bool isFloatingType(ScalarType t) {
    return t == ScalarType::Half || t == ScalarType::Float || t == ScalarType::Double || t == ScalarType::BFloat16;
}
constexpr bool isIntegralType(ScalarType t, bool with_bool = false) { return t == ScalarType::Bool ? with_bool : !isFloatingType(t); }

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
SMUX_TORCH_TYPE(c10::Half, Half)
SMUX_TORCH_TYPE(c10::BFloat16, BFloat16)
#undef SMUX_TORCH_TYPE
SMUX_TORCH_NAME(uint8_t, Byte)
SMUX_TORCH_NAME(int8_t, Char)
SMUX_TORCH_NAME(int16_t, Short)
SMUX_TORCH_NAME(int, Int)
SMUX_TORCH_NAME(int64_t, Long)
SMUX_TORCH_NAME(c10::Half, Half)
SMUX_TORCH_NAME(float, Float)
SMUX_TORCH_NAME(double, Double)
SMUX_TORCH_NAME(bool, Bool)
SMUX_TORCH_NAME(c10::BFloat16, BFloat16)
#undef SMUX_TORCH_NAME

enum class DeviceType : int8_t { CPU, CUDA };
struct Device {
    DeviceType kind = DeviceType::CUDA;
    Device(DeviceType k = DeviceType::CUDA, int = 0) : kind(k) {}
    bool is_cuda() const { return kind == DeviceType::CUDA; }
    bool is_cpu() const { return !is_cuda(); }
    int index() const { return 0; }
    bool has_index() const { return true; }
    DeviceType type() const { return kind; }
    std::string str() const { return is_cuda() ? "cuda:0" : "cpu"; }
    friend std::ostream &operator<<(std::ostream &out, const Device &d) { return out << d.str(); }
    bool operator==(const Device &o) const { return kind == o.kind; }
    bool operator!=(const Device &o) const { return kind != o.kind; }
};

struct IntArrayRef : std::vector<int64_t> {
    using std::vector<int64_t>::vector;
    IntArrayRef(const std::vector<int64_t> &v) : std::vector<int64_t>(v) {}
    std::vector<int64_t> vec() const { return *this; }
    friend std::ostream &operator<<(std::ostream &out, const IntArrayRef &all) {
        out << '[';
        for (size_t i = 0; i < all.size(); i++) out << (i ? ", " : "") << all[i];
        return out << ']';
    }
};

using std::make_optional;
using std::nullopt;
using std::nullopt_t;
using std::string_view;
template <class T> using optional = std::optional<T>;
using DeviceIndex = int8_t;
enum class MemoryFormat : int8_t { Contiguous, Preserve, ChannelsLast, ChannelsLast3d };
enum Layout : int8_t { Strided };

template <class T> std::vector<T> irange(T from, T to) {
    std::vector<T> all(size_t(to > from ? to - from : 0));
    std::iota(all.begin(), all.end(), from);
    return all;
}
template <class T> std::vector<T> irange(T to) { return irange(T(0), to); }
inline int64_t multiply_integers(const std::vector<int64_t> &all) { return std::accumulate(all.begin(), all.end(), int64_t(1), std::multiplies<int64_t>()); }

struct TensorOptions {
    ScalarType type = ScalarType::Float;
    TensorOptions() = default;
    TensorOptions(ScalarType t) : type(t) {}
    TensorOptions dtype(ScalarType t) const { return TensorOptions(t); }
    ScalarType dtype() const { return type; }
    friend std::ostream &operator<<(std::ostream &out, const TensorOptions &o) { return out << "TensorOptions(dtype=" << o.type << ")"; }
    TensorOptions device(Device) const { return *this; }
    TensorOptions device(DeviceType, int = 0) const { return *this; }
    TensorOptions layout(Layout) const { return *this; }
    TensorOptions memory_format(MemoryFormat) const { return *this; }
    TensorOptions pinned_memory(bool) const { return *this; }
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
using c10::irange;
using c10::Layout;
using c10::MemoryFormat;
using c10::nullopt;
using c10::optional;
using c10::ScalarType;
using c10::TensorOptions;
using c10::toString;
using DimVector = std::vector<int64_t>;

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
    Tensor(IntArrayRef sizes, ScalarType type) : sizes_(std::move(sizes)), strides_(dense(sizes_)), type_(type) {
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
        return sizes_[axis(i)];
    }
    const IntArrayRef &sizes() const { return sizes_; }
    int64_t stride(int64_t i) const { return strides_[axis(i)]; }
    int64_t numel() const { return c10::multiply_integers(sizes_); }
    size_t element_size() const { return c10::elementSize(type_); }
    size_t itemsize() const { return element_size(); }
    size_t nbytes() const { return size_t(numel()) * element_size(); }
    const IntArrayRef &strides() const { return strides_; }
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
    bool is_floating_point() const { return c10::isFloatingType(type_); }
    Tensor new_empty(IntArrayRef sizes) const { return Tensor(std::move(sizes), type_); }
    Tensor new_zeros(IntArrayRef sizes) const { return new_empty(std::move(sizes)).zero_(); }
    Tensor view_as(const Tensor &o) const { return shaped(o.sizes_); }
    Tensor unsqueeze(int64_t at) const {
        if (at < 0) at += dim() + 1;
        Tensor out = *this;
        out.sizes_.insert(out.sizes_.begin() + at, 1);
        out.strides_.insert(out.strides_.begin() + at, 1);
        return out;
    }
    Tensor squeeze(int64_t at) const { return size(at) == 1 ? select(at, 0) : *this; }
    Tensor permute(const IntArrayRef &order) const {
        Tensor out = *this;
        for (size_t i = 0; i < order.size(); i++) out.sizes_[i] = size(order[i]), out.strides_[i] = stride(order[i]);
        return out;
    }
    Tensor transpose(int64_t a, int64_t b) const {
        Tensor out = *this;
        std::swap(out.sizes_[axis(a)], out.sizes_[axis(b)]);
        std::swap(out.strides_[axis(a)], out.strides_[axis(b)]);
        return out;
    }
    Tensor t() const {
        if (dim() > 2) throw c10::Error("t() of a tensor with more than two dimensions");
        return dim() < 2 ? *this : transpose(0, 1);
    }
    Tensor slice(int64_t at, int64_t from, int64_t to, int64_t step = 1) const {
        Tensor out = *this;
        from = std::min(from < 0 ? from + size(at) : from, size(at)), to = std::min(to < 0 ? to + size(at) : to, size(at));
        out.data_ = std::shared_ptr<void>(data_, static_cast<char *>(data_.get()) + size_t(from * stride(at)) * element_size());
        out.sizes_[axis(at)] = from < to ? (to - from + step - 1) / step : 0;
        out.strides_[axis(at)] *= step;
        return out;
    }
    Tensor narrow(int64_t at, int64_t from, int64_t length) const { return slice(at, from, from + length); }
    Tensor select(int64_t at, int64_t i) const {
        if (i < 0) i += size(at);
        if (i < 0 || i >= size(at)) throw c10::Error("select of an index that the tensor has not");
        Tensor out = slice(at, i, i + 1);
        out.sizes_.erase(out.sizes_.begin() + int64_t(axis(at)));
        out.strides_.erase(out.strides_.begin() + int64_t(axis(at)));
        return out;
    }
    Tensor operator[](int64_t i) const { return select(0, i); }
    Tensor to(ScalarType type) const;
    Tensor to(Device) const { return *this; }
    Tensor to(const TensorOptions &o) const { return to(o.type); }
    Tensor cuda() const { return *this; }
    Tensor cpu() const { return *this; }
    Tensor detach() const { return *this; }
    ScalarType scalar_type() const { return type_; }
    ScalarType dtype() const { return type_; }
    TensorOptions options() const { return TensorOptions(type_); }
    Device device() const { return {}; }
    int get_device() const { return 0; }
    bool is_cuda() const { return true; }
    bool is_contiguous(MemoryFormat = MemoryFormat::Contiguous) const {
        for (int64_t i = dim() - 1, n = 1; i >= 0; n *= size(i--))
            if (size(i) != 1 && stride(i) != n) return numel() == 0;
        return true;
    }
    MemoryFormat suggest_memory_format() const { return MemoryFormat::Contiguous; }
    Tensor contiguous(MemoryFormat = MemoryFormat::Contiguous) const { return is_contiguous() ? *this : clone(); }
    Tensor view(IntArrayRef sizes) const {
        if (!is_contiguous()) throw c10::Error("a view of a tensor that is not contiguous");
        return shaped(std::move(sizes));
    }
    Tensor reshape(IntArrayRef sizes) const { return contiguous().shaped(std::move(sizes)); }
    Tensor flatten() const { return reshape({numel()}); }
    Tensor clone() const {
        Tensor out(sizes_, type_);
        return out.copy_(*this);
    }
    // Element by element, where each lies; a kernel's launch comes before, as on the stream.
    Tensor &copy_(const Tensor &from) {
        if (from.type_ != type_ || from.sizes_ != sizes_) throw c10::Error("a copy between tensors of another type or size");
        if (is_contiguous() && from.is_contiguous()) {
            cudaMemcpy(data_.get(), from.data_.get(), nbytes(), cudaMemcpyDeviceToDevice);
            return *this;
        }
        for (int64_t i = 0; i < numel(); i++)
            cudaMemcpy(place(i), from.place(i), element_size(), cudaMemcpyDeviceToDevice);
        return *this;
    }
    Tensor &zero_() { return fill_(0); }
    Tensor &fill_(double value) { return set_([value](int64_t) { return value; }); }
    // Gives each element, by its number, a value.
    template <class F> Tensor &set_(F value) {
        if (!is_contiguous()) {
            Tensor dense(sizes_, type_);
            return copy_(dense.set_(value));
        }
        std::vector<char> host(nbytes());
        for (int64_t i = 0; i < numel(); i++) put(host.data(), i, value(i));
        cudaMemcpy(data_.get(), host.data(), nbytes(), cudaMemcpyHostToDevice);
        return *this;
    }
    // The elements as numbers.
    std::vector<double> numbers() const {
        const Tensor from = contiguous();
        std::vector<char> host(nbytes());
        cudaMemcpy(host.data(), from.data_.get(), nbytes(), cudaMemcpyDeviceToHost);
        std::vector<double> out(size_t(numel()), 0);
        for (size_t i = 0; i < out.size(); i++) out[i] = get(host.data() + i * element_size());
        return out;
    }
    template <class T> T item() const {
        if (numel() != 1) throw c10::Error("item() of a tensor with more than one element");
        return T(numbers()[0]);
    }
    // The sum, the mean, or the least or largest element, of all or along one dimension.
    Tensor sum() const;
    Tensor mean() const;
    Tensor max() const;
    Tensor min() const;
    Tensor sum(int64_t at, bool keep = false) const;
    Tensor mean(int64_t at, bool keep = false) const;
    double get(const char *from) const {
        switch (type_) {
        case ScalarType::Byte: return *reinterpret_cast<const uint8_t *>(from);
        case ScalarType::Char: return *reinterpret_cast<const int8_t *>(from);
        case ScalarType::Short: return *reinterpret_cast<const int16_t *>(from);
        case ScalarType::Int: return *reinterpret_cast<const int *>(from);
        case ScalarType::Long: return double(*reinterpret_cast<const int64_t *>(from));
        case ScalarType::Half: return float(*reinterpret_cast<const __half *>(from));
        case ScalarType::Float: return *reinterpret_cast<const float *>(from);
        case ScalarType::Double: return *reinterpret_cast<const double *>(from);
        case ScalarType::Bool: return *reinterpret_cast<const bool *>(from);
        case ScalarType::BFloat16: return float(*reinterpret_cast<const __nv_bfloat16 *>(from));
        }
        return 0;
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
    size_t axis(int64_t i) const {
        if (i < 0) i += dim();
        if (i < 0 || i >= dim()) throw c10::Error("a dimension that the tensor has not");
        return size_t(i);
    }
    static IntArrayRef dense(const IntArrayRef &sizes) {
        IntArrayRef all(sizes);
        int64_t n = 1;
        for (size_t i = all.size(); i-- > 0; n *= sizes[i]) all[i] = n;
        return all;
    }
    char *place(int64_t i) const { // of the element with this number
        int64_t offset = 0;
        for (int64_t k = dim() - 1; k >= 0; i /= size(k--)) offset += i % size(k) * stride(k);
        return static_cast<char *>(data_.get()) + size_t(offset) * element_size();
    }
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
        out.strides_ = dense(out.sizes_);
        if (out.numel() != numel()) throw c10::Error("a view with another number of elements");
        return out;
    }
    std::shared_ptr<void> data_;
    IntArrayRef sizes_, strides_;
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
    return empty({end}, o).set_([](int64_t i) { return double(i); });
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
inline CUDAStream getDefaultCUDAStream(int = 0) { return {}; }
inline cudaDeviceProp *getDeviceProperties(int) {
    static cudaDeviceProp properties;
    cudaGetDeviceProperties(&properties, 0);
    return &properties;
}
inline cudaDeviceProp *getCurrentDeviceProperties() { return getDeviceProperties(0); }
inline int warp_size() { return 32; }
inline int current_device() { return 0; }
inline int device_count() { return 1; }
struct CUDAGuard {
    template <class Device> explicit CUDAGuard(const Device &) {}
};
struct OptionalCUDAGuard {
    template <class... Devices> explicit OptionalCUDAGuard(const Devices &...) {}
};
}  // namespace cuda

inline c10::optional<Device> device_of(const Tensor &t) { return t.defined() ? c10::optional<Device>(Device()) : c10::nullopt; }
using TensorList = std::vector<Tensor>;

// The types that sums of others are made in, on the device.
template <class T, bool OnDevice = true> struct AccumulateType { using type = std::conditional_t<std::is_integral<T>::value && !std::is_same<T, bool>::value, int64_t, T>; };
template <> struct AccumulateType<float, false> { using type = double; };
template <class N, bool OnDevice> struct AccumulateType<c10::reduced<N>, OnDevice> { using type = float; };
template <class T, bool OnDevice> using acc_type = typename AccumulateType<T, OnDevice>::type;
template <class T> struct OpMathType { using type = T; };
template <class N> struct OpMathType<c10::reduced<N>> { using type = float; };
template <class T> using opmath_type = typename OpMathType<T>::type;

template <class A, class B> C10_HOST_DEVICE constexpr auto ceil_div(A a, B b) { return (a + b - 1) / b; }
template <class A, class B> C10_HOST_DEVICE constexpr auto round_up(A a, B b) { return ceil_div(a, b) * b; }

}  // namespace at

#include "torch/operations.h"

namespace c10 {
namespace cuda {
using at::cuda::current_device;
using at::cuda::device_count;
using at::cuda::getDefaultCUDAStream;
using at::cuda::warp_size;
using at::cuda::CUDAGuard;
using at::cuda::CUDAStream;
using at::cuda::getCurrentCUDAStream;
using at::cuda::OptionalCUDAGuard;
}  // namespace cuda
}  // namespace c10

namespace smux_torch {
struct module {
    template <class... What> module &def(What &&...) { return *this; }
    template <class... What> module &impl(What &&...) { return *this; }
    const char *&doc() {
        static const char *text;
        return text;
    }
};
}  // namespace smux_torch

namespace pybind11 {
using module = smux_torch::module;
using module_ = smux_torch::module;
struct arg {
    arg(const char *) {}
    template <class T> arg &operator=(const T &) { return *this; }
};
template <class T> struct call_guard {};
struct gil_scoped_release {};
}  // namespace pybind11
namespace py = pybind11;

namespace torch {
using namespace at;
using c10::optional;
using c10::nullopt;
using Library = smux_torch::module;
using pybind11::arg;
using Dtype = ScalarType;
constexpr auto kStrided = c10::Layout::Strided;
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

#define TORCH_CHECK_EQ(a, b) TORCH_CHECK((a) == (b))
#define TORCH_CHECK_NE(a, b) TORCH_CHECK((a) != (b))
#define TORCH_CHECK_LT(a, b) TORCH_CHECK((a) < (b))
#define TORCH_CHECK_LE(a, b) TORCH_CHECK((a) <= (b))
#define TORCH_CHECK_GT(a, b) TORCH_CHECK((a) > (b))
#define TORCH_CHECK_GE(a, b) TORCH_CHECK((a) >= (b))
#define TORCH_EXTENSION_NAME smux_torch_extension
#define PYBIND11_MODULE(name, m) inline void smux_torch_##m([[maybe_unused]] smux_torch::module &m)

#define SMUX_TORCH_JOIN2(a, b) a##b
#define SMUX_TORCH_JOIN(a, b) SMUX_TORCH_JOIN2(a, b)
#define TORCH_LIBRARY(name, m) static inline void SMUX_TORCH_JOIN(smux_torch_library, __COUNTER__)([[maybe_unused]] torch::Library &m)
#define TORCH_LIBRARY_FRAGMENT TORCH_LIBRARY
#define TORCH_LIBRARY_IMPL(name, key, m) TORCH_LIBRARY(name, m)
#define TORCH_FN(function) (function)

#define TORCH_CHECK(condition, ...) ((condition) ? (void)0 : c10::refuse(#condition, ##__VA_ARGS__))
#define AT_ASSERTM TORCH_CHECK
#define AT_ASSERT TORCH_CHECK
#define TORCH_INTERNAL_ASSERT TORCH_CHECK
#define TORCH_CHECK_VALUE TORCH_CHECK
#define TORCH_CHECK_INDEX TORCH_CHECK
#define TORCH_CHECK_TYPE TORCH_CHECK
#define TORCH_WARN(...) ((void)0)
#define TORCH_WARN_ONCE(...) ((void)0)
#define AT_ERROR(...) c10::refuse("", ##__VA_ARGS__)
#define AT_CUDA_CHECK(call) TORCH_CHECK((call) == cudaSuccess, "a call of the CUDA runtime failed")
#define C10_CUDA_CHECK AT_CUDA_CHECK
#define C10_CUDA_KERNEL_LAUNCH_CHECK() AT_CUDA_CHECK(cudaGetLastError())

#include "torch/dispatch.h"
#include "smux_cpu/names_end.h"
