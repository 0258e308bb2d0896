// c10::Half and c10::BFloat16: numbers of 16 bits that become float by themselves, and CUDA's only where it is asked for.
#pragma once
#include <limits>

#include "cuda_bf16.h"
#include "cuda_fp16.h"

namespace c10 {

template <class N> struct reduced {
    N raw;
    reduced() = default;
    __host__ __device__ reduced(float x) : raw(x) {}
    __host__ __device__ reduced(const N &x) : raw(x) {}
    __host__ __device__ operator float() const { return float(raw); }
    __host__ __device__ operator N() const { return raw; }
    __host__ __device__ reduced operator-() const { return -float(raw); }
#define SMUX_TORCH_OPERATOR(op)                                                                                                        \
    friend __host__ __device__ reduced operator op(reduced a, reduced b) { return float(a) op float(b); }                              \
    template <class T> friend __host__ __device__ std::enable_if_t<std::is_floating_point<T>::value, T> operator op(reduced a, T b) { return float(a) op b; } \
    template <class T> friend __host__ __device__ std::enable_if_t<std::is_floating_point<T>::value, T> operator op(T a, reduced b) { return a op float(b); } \
    template <class T> friend __host__ __device__ std::enable_if_t<std::is_integral<T>::value, reduced> operator op(reduced a, T b) { return float(a) op float(b); } \
    template <class T> friend __host__ __device__ std::enable_if_t<std::is_integral<T>::value, reduced> operator op(T a, reduced b) { return float(a) op float(b); } \
    __host__ __device__ reduced &operator op##=(float b) { return *this = float(raw) op b; }
    SMUX_TORCH_OPERATOR(+)
    SMUX_TORCH_OPERATOR(-)
    SMUX_TORCH_OPERATOR(*)
    SMUX_TORCH_OPERATOR(/)
#undef SMUX_TORCH_OPERATOR
#define SMUX_TORCH_OPERATOR(op)                                                                             \
    friend __host__ __device__ bool operator op(reduced a, reduced b) { return float(a) op float(b); }       \
    template <class T> friend __host__ __device__ std::enable_if_t<std::is_arithmetic<T>::value, bool> operator op(reduced a, T b) { return float(a) op b; } \
    template <class T> friend __host__ __device__ std::enable_if_t<std::is_arithmetic<T>::value, bool> operator op(T a, reduced b) { return a op float(b); }
    SMUX_TORCH_OPERATOR(<)
    SMUX_TORCH_OPERATOR(>)
    SMUX_TORCH_OPERATOR(<=)
    SMUX_TORCH_OPERATOR(>=)
    SMUX_TORCH_OPERATOR(==)
    SMUX_TORCH_OPERATOR(!=)
#undef SMUX_TORCH_OPERATOR
};
using Half = reduced<__half>;
using BFloat16 = reduced<__nv_bfloat16>;

}  // namespace c10

namespace smux_cpu {
template <class N> struct element_of<c10::reduced<N>> : element_of<N> {};
}  // namespace smux_cpu

template <class N> class std::numeric_limits<c10::reduced<N>> {
    static constexpr bool half = std::is_same<N, __half>::value;
public:
    static constexpr bool is_specialized = true, is_signed = true, is_integer = false, has_infinity = true, has_quiet_NaN = true;
    static c10::reduced<N> max() { return half ? 65504.f : 0x1.fep127f; }
    static c10::reduced<N> lowest() { return -float(max()); }
    static c10::reduced<N> min() { return half ? 0x1p-14f : 0x1p-126f; }
    static c10::reduced<N> epsilon() { return half ? 0x1p-10f : 0x1p-7f; }
    static c10::reduced<N> infinity() { return INFINITY; }
    static c10::reduced<N> quiet_NaN() { return NAN; }
};
