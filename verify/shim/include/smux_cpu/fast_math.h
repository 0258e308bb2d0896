// Intrinsics of arithmetic: the fast single-precision functions, which here are the exact ones, and the
// operations with a rounding mode in their name (rn nearest even, rz to zero, ru up, rd down), which
// round as they say. No operation here is ever contracted to a multiply-add.
#pragma once
#include <math.h>

#include "smux_cpu/math.h"
#include "smux_cpu/rounding.h"

// glibc declares functions of these names for its own use.
#define __cosf smux_cpu_cosf
#define __exp10f smux_cpu_exp10f
#define __expf smux_cpu_expf
#define __log10f smux_cpu_log10f
#define __log2f smux_cpu_log2f
#define __logf smux_cpu_logf
#define __powf smux_cpu_powf
#define __sincosf smux_cpu_sincosf
#define __sinf smux_cpu_sinf
#define __tanf smux_cpu_tanf

SMUX_CPU_INLINE float __cosf(float x) { return cosf(x); }
SMUX_CPU_INLINE float __exp10f(float x) { return exp10f(x); }
SMUX_CPU_INLINE float __expf(float x) { return expf(x); }
SMUX_CPU_INLINE float __log10f(float x) { return log10f(x); }
SMUX_CPU_INLINE float __log2f(float x) { return log2f(x); }
SMUX_CPU_INLINE float __logf(float x) { return logf(x); }
SMUX_CPU_INLINE float __powf(float x, float y) { return powf(x, y); }
SMUX_CPU_INLINE void __sincosf(float x, float *sine, float *cosine) {
    *sine = sinf(x);
    *cosine = cosf(x);
}
SMUX_CPU_INLINE float __sinf(float x) { return sinf(x); }
SMUX_CPU_INLINE float __tanf(float x) { return tanf(x); }
SMUX_CPU_INLINE float __fdividef(float x, float y) { return x / y; }
SMUX_CPU_INLINE float __frsqrt_rn(float x) { return rsqrtf(x); }
// Clamped to [0, 1]; a NaN becomes 0.
SMUX_CPU_INLINE float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }

// The operations of one type under one directed mode. `prefix` is f or d, `fma` the name of its multiply-add.
#define SMUX_CPU_DIRECTED(type, prefix, fma_name, fma_function, mode)                                                            \
    SMUX_CPU_INLINE type __##prefix##add_##mode(type a, type b) {                                                                \
        return smux_cpu::rounded<smux_cpu::rounding_##mode>([](type x, type y, type) { return x + y; }, a, b);                   \
    }                                                                                                                            \
    SMUX_CPU_INLINE type __##prefix##sub_##mode(type a, type b) {                                                                \
        return smux_cpu::rounded<smux_cpu::rounding_##mode>([](type x, type y, type) { return x - y; }, a, b);                   \
    }                                                                                                                            \
    SMUX_CPU_INLINE type __##prefix##mul_##mode(type a, type b) {                                                                \
        return smux_cpu::rounded<smux_cpu::rounding_##mode>([](type x, type y, type) { return x * y; }, a, b);                   \
    }                                                                                                                            \
    SMUX_CPU_INLINE type __##prefix##div_##mode(type a, type b) {                                                                \
        return smux_cpu::rounded<smux_cpu::rounding_##mode>([](type x, type y, type) { return x / y; }, a, b);                   \
    }                                                                                                                            \
    SMUX_CPU_INLINE type __##prefix##sqrt_##mode(type a) {                                                                       \
        return smux_cpu::rounded<smux_cpu::rounding_##mode>([](type x, type, type) { return std::sqrt(x); }, a);                 \
    }                                                                                                                            \
    SMUX_CPU_INLINE type __##prefix##rcp_##mode(type a) {                                                                        \
        return smux_cpu::rounded<smux_cpu::rounding_##mode>([](type x, type, type) { return (type)1 / x; }, a);                  \
    }                                                                                                                            \
    SMUX_CPU_INLINE type __##fma_name##_##mode(type a, type b, type c) {                                                         \
        return smux_cpu::rounded<smux_cpu::rounding_##mode>([](type x, type y, type z) { return fma_function(x, y, z); }, a, b, c); \
    }

SMUX_CPU_DIRECTED(float, f, fmaf, fmaf, rz)
SMUX_CPU_DIRECTED(float, f, fmaf, fmaf, ru)
SMUX_CPU_DIRECTED(float, f, fmaf, fmaf, rd)
SMUX_CPU_DIRECTED(double, d, fma, fma, rz)
SMUX_CPU_DIRECTED(double, d, fma, fma, ru)
SMUX_CPU_DIRECTED(double, d, fma, fma, rd)

#undef SMUX_CPU_DIRECTED

// To nearest is how the CPU rounds anyway.
#define SMUX_CPU_NEAREST(type, prefix, fma_name, sqrt_function)                                              \
    SMUX_CPU_INLINE type __##prefix##add_rn(type a, type b) { return a + b; }                                \
    SMUX_CPU_INLINE type __##prefix##sub_rn(type a, type b) { return a - b; }                                \
    SMUX_CPU_INLINE type __##prefix##mul_rn(type a, type b) { return a * b; }                                \
    SMUX_CPU_INLINE type __##prefix##div_rn(type a, type b) { return a / b; }                                \
    SMUX_CPU_INLINE type __##prefix##sqrt_rn(type a) { return sqrt_function(a); }                            \
    SMUX_CPU_INLINE type __##prefix##rcp_rn(type a) { return (type)1 / a; }                                  \
    SMUX_CPU_INLINE type __##fma_name##_rn(type a, type b, type c) { return fma_name(a, b, c); }

SMUX_CPU_NEAREST(float, f, fmaf, sqrtf)
SMUX_CPU_NEAREST(double, d, fma, sqrt)

#undef SMUX_CPU_NEAREST

SMUX_CPU_INLINE float __fmaf_ieee_rn(float a, float b, float c) { return __fmaf_rn(a, b, c); }
SMUX_CPU_INLINE float __fmaf_ieee_rz(float a, float b, float c) { return __fmaf_rz(a, b, c); }
SMUX_CPU_INLINE float __fmaf_ieee_ru(float a, float b, float c) { return __fmaf_ru(a, b, c); }
SMUX_CPU_INLINE float __fmaf_ieee_rd(float a, float b, float c) { return __fmaf_rd(a, b, c); }
