// Which element type copied memory has, by the pointers that the program passes. The comparison of two
// programs allows a tolerance for floating-point elements only, so it must know.
#pragma once
#include <type_traits>
#include <utility>

#include "smux_cpu/abi.h"

// Half-precision types are classes of headers that a program need not include.
struct __half;
struct __half2;
struct __nv_bfloat16;
struct __nv_bfloat162;

namespace smux_cpu {

template <class T> constexpr element integer_element() {
    switch (sizeof(T)) {
        case 1: return std::is_signed<T>::value ? element::i8 : element::u8;
        case 2: return std::is_signed<T>::value ? element::i16 : element::u16;
        case 4: return std::is_signed<T>::value ? element::i32 : element::u32;
        case 8: return std::is_signed<T>::value ? element::i64 : element::u64;
    }
    return element::bytes;
}

// Pointers: they mean nothing outside the process that they are from, so copies of them are not logged.
constexpr element unlogged = element(~uint32_t{0});

// Anything else, structures above all, is bytes.
template <class T, class = void> struct element_of {
    static constexpr element value = element::bytes;
};
template <class T> struct element_of<T, std::enable_if_t<std::is_integral<T>::value>> {
    static constexpr element value = integer_element<T>();
};
template <class T> struct element_of<T, std::enable_if_t<std::is_enum<T>::value>> : element_of<std::underlying_type_t<T>> {};
template <class T> struct element_of<T *> {
    static constexpr element value = unlogged;
};
template <class T, size_t N> struct element_of<T[N]> : element_of<std::remove_cv_t<T>> {};
template <class T> struct element_of<T[]> : element_of<std::remove_cv_t<T>> {};
// Complex numbers, by their members: nvcc's headers are without <complex>, and a program may have a name of its own for them.
template <class T>
struct element_of<T, std::enable_if_t<std::is_same<decltype(std::declval<const T &>().imag()), typename T::value_type>::value &&
                                      sizeof(T) == 2 * sizeof(typename T::value_type)>> : element_of<typename T::value_type> {};

#define SMUX_CPU_ELEMENT(type, code)                \
    template <> struct element_of<type> {           \
        static constexpr element value = element::code; \
    };
#define SMUX_CPU_VECTOR_ELEMENT(name, code) \
    SMUX_CPU_ELEMENT(name##1, code)         \
    SMUX_CPU_ELEMENT(name##2, code)         \
    SMUX_CPU_ELEMENT(name##3, code)         \
    SMUX_CPU_ELEMENT(name##4, code)

SMUX_CPU_ELEMENT(float, f32)
SMUX_CPU_ELEMENT(double, f64)
SMUX_CPU_ELEMENT(__half, f16)
SMUX_CPU_ELEMENT(__half2, f16)
SMUX_CPU_ELEMENT(__nv_bfloat16, bf16)
SMUX_CPU_ELEMENT(__nv_bfloat162, bf16)
SMUX_CPU_VECTOR_ELEMENT(float, f32)
SMUX_CPU_VECTOR_ELEMENT(double, f64)
SMUX_CPU_VECTOR_ELEMENT(char, i8)
SMUX_CPU_VECTOR_ELEMENT(uchar, u8)
SMUX_CPU_VECTOR_ELEMENT(short, i16)
SMUX_CPU_VECTOR_ELEMENT(ushort, u16)
SMUX_CPU_VECTOR_ELEMENT(int, i32)
SMUX_CPU_VECTOR_ELEMENT(uint, u32)
SMUX_CPU_VECTOR_ELEMENT(long, i64)
SMUX_CPU_VECTOR_ELEMENT(ulong, u64)
SMUX_CPU_VECTOR_ELEMENT(longlong, i64)
SMUX_CPU_VECTOR_ELEMENT(ulonglong, u64)
#undef SMUX_CPU_VECTOR_ELEMENT
#undef SMUX_CPU_ELEMENT

// The element type of a copy from U* to T*. Single bytes and void say little: many programs cast to
// char *, so the other side is asked first.
template <class T, class U> constexpr element copied_element() {
    constexpr element to = element_of<std::remove_cv_t<T>>::value, from = element_of<std::remove_cv_t<U>>::value;
    constexpr bool vague = to == element::bytes || to == element::i8 || to == element::u8;
    return vague && from != element::bytes ? from : to;
}

}  // namespace smux_cpu
