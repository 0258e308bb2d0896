// Conversions between numbers with a rounding mode in their name, and between the bits of numbers.
//
// Unlike a C++ cast, a conversion to an integer saturates: what is too large becomes the largest value,
// what is too small the smallest. A NaN becomes 0, or, where a 64-bit type takes part, 1 in the highest
// bit alone (PTX, instruction cvt).
#pragma once
#include <math.h>
#include <string.h>

#include <limits>

#include "smux_cpu/rounding.h"

namespace smux_cpu {

template <class To, class From> SMUX_CPU_INLINE To bits_as(From from) {
    static_assert(sizeof(To) == sizeof(From), "another size");
    To to;
    __builtin_memcpy(&to, &from, sizeof to);
    return to;
}

// `value` has no fraction any more.
template <class Integer, class Real> SMUX_CPU_INLINE Integer saturating(Real value) {
    typedef std::numeric_limits<Integer> limits;
    if (value != value) {
        bool wide = sizeof(Integer) == 8 || sizeof(Real) == 8;
        return wide ? (Integer)((Integer)1 << (limits::digits + limits::is_signed - 1)) : (Integer)0;
    }
    // One more than the largest value is a power of two, so exact in any floating type.
    const Real end = (Real)(limits::max() / 2 + 1) * 2;
    if (value >= end) return limits::max();
    if (value < (Real)limits::min()) return limits::min();
    return (Integer)value;
}

}  // namespace smux_cpu

// ---- real to integer
#define SMUX_CPU_TO_INTEGER(real, integer, name)                                                                     \
    SMUX_CPU_INLINE integer __##real##2##name##_rn(real x) { return smux_cpu::saturating<integer>(std::nearbyint(x)); } \
    SMUX_CPU_INLINE integer __##real##2##name##_rz(real x) { return smux_cpu::saturating<integer>(std::trunc(x)); }     \
    SMUX_CPU_INLINE integer __##real##2##name##_ru(real x) { return smux_cpu::saturating<integer>(std::ceil(x)); }      \
    SMUX_CPU_INLINE integer __##real##2##name##_rd(real x) { return smux_cpu::saturating<integer>(std::floor(x)); }

SMUX_CPU_TO_INTEGER(float, int, int)
SMUX_CPU_TO_INTEGER(float, unsigned, uint)
SMUX_CPU_TO_INTEGER(float, long long, ll)
SMUX_CPU_TO_INTEGER(float, unsigned long long, ull)
SMUX_CPU_TO_INTEGER(double, int, int)
SMUX_CPU_TO_INTEGER(double, unsigned, uint)
SMUX_CPU_TO_INTEGER(double, long long, ll)
SMUX_CPU_TO_INTEGER(double, unsigned long long, ull)

#undef SMUX_CPU_TO_INTEGER

// ---- integer to real, and double to float
#define SMUX_CPU_TO_REAL(from, name, real)                                                                                                             \
    SMUX_CPU_INLINE real __##name##2##real##_rn(from x) { return (real)x; }                                                                            \
    SMUX_CPU_INLINE real __##name##2##real##_rz(from x) { return smux_cpu::rounded_conversion<smux_cpu::rounding_rz, real>(x); }                       \
    SMUX_CPU_INLINE real __##name##2##real##_ru(from x) { return smux_cpu::rounded_conversion<smux_cpu::rounding_ru, real>(x); }                       \
    SMUX_CPU_INLINE real __##name##2##real##_rd(from x) { return smux_cpu::rounded_conversion<smux_cpu::rounding_rd, real>(x); }

SMUX_CPU_TO_REAL(int, int, float)
SMUX_CPU_TO_REAL(unsigned, uint, float)
SMUX_CPU_TO_REAL(long long, ll, float)
SMUX_CPU_TO_REAL(unsigned long long, ull, float)
SMUX_CPU_TO_REAL(long long, ll, double)
SMUX_CPU_TO_REAL(unsigned long long, ull, double)
SMUX_CPU_TO_REAL(double, double, float)

#undef SMUX_CPU_TO_REAL

// Exact, so there is one rounding only.
SMUX_CPU_INLINE double __int2double_rn(int x) { return x; }
SMUX_CPU_INLINE double __uint2double_rn(unsigned x) { return x; }

// ---- bits
SMUX_CPU_INLINE int __float_as_int(float x) { return smux_cpu::bits_as<int>(x); }
SMUX_CPU_INLINE unsigned __float_as_uint(float x) { return smux_cpu::bits_as<unsigned>(x); }
SMUX_CPU_INLINE float __int_as_float(int x) { return smux_cpu::bits_as<float>(x); }
SMUX_CPU_INLINE float __uint_as_float(unsigned x) { return smux_cpu::bits_as<float>(x); }
SMUX_CPU_INLINE long long __double_as_longlong(double x) { return smux_cpu::bits_as<long long>(x); }
SMUX_CPU_INLINE double __longlong_as_double(long long x) { return smux_cpu::bits_as<double>(x); }
SMUX_CPU_INLINE int __double2hiint(double x) { return (int)(smux_cpu::bits_as<unsigned long long>(x) >> 32); }
SMUX_CPU_INLINE int __double2loint(double x) { return (int)smux_cpu::bits_as<unsigned long long>(x); }
SMUX_CPU_INLINE double __hiloint2double(int high, int low) {
    return smux_cpu::bits_as<double>((unsigned long long)(unsigned)high << 32 | (unsigned)low);
}

// ---- the names of old toolkits that nvcc still declares, with the rounding that is their default
SMUX_CPU_INLINE int float_as_int(float x) { return __float_as_int(x); }
SMUX_CPU_INLINE float int_as_float(int x) { return __int_as_float(x); }
SMUX_CPU_INLINE unsigned float_as_uint(float x) { return __float_as_uint(x); }
SMUX_CPU_INLINE float uint_as_float(unsigned x) { return __uint_as_float(x); }
SMUX_CPU_INLINE int float2int(float x) { return __float2int_rz(x); }
SMUX_CPU_INLINE unsigned float2uint(float x) { return __float2uint_rz(x); }
SMUX_CPU_INLINE float int2float(int x) { return (float)x; }
SMUX_CPU_INLINE float uint2float(unsigned x) { return (float)x; }
SMUX_CPU_INLINE float saturate(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }
