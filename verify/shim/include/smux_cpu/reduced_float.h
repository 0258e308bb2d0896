// The 16-bit floating-point formats, on their bits: half (10 bits of fraction) and bfloat16 (7). Values
// are computed in double, where sums and products of such numbers are exact or nearly so, and rounded
// once; results are those of IEEE arithmetic in the format itself.
#pragma once
#include <math.h>
#include <stdint.h>

#include "smux_cpu/convert.h"

namespace smux_cpu {

enum class toward { nearest, zero, plus_infinity, minus_infinity };

template <int FractionBits> struct reduced_format {
    static constexpr int exponent_bits = 15 - FractionBits;
    static constexpr int bias = (1 << (exponent_bits - 1)) - 1;
    static constexpr unsigned infinity = ((1u << exponent_bits) - 1) << FractionBits;
    static constexpr unsigned not_a_number = 0x7fff;
    static constexpr int lowest_unit = 1 - bias - FractionBits;  // exponent of the smallest subnormal

    static bool is_nan(unsigned bits) { return (bits & 0x7fff) > infinity; }

    // Exact: every value is a float too.
    static float value(unsigned bits) {
        uint32_t wide = (bits & 0x7fffu) << (23 - FractionBits);
        if ((bits & infinity) == infinity)
            wide |= 0x7f800000u;
        else if (exponent_bits < 8)
            wide = bits_as<uint32_t>(bits_as<float>(wide) * bits_as<float>((uint32_t)(127 + 127 - bias) << 23));  // another bias
        return bits_as<float>(wide | (bits & 0x8000u) << 16);
    }

    static uint16_t rounded(double number, toward direction = toward::nearest) {
        const uint64_t wide = bits_as<uint64_t>(number);
        const unsigned sign = (unsigned)(wide >> 63) << 15;
        const int wide_exponent = (int)(wide >> 52 & 0x7ff);
        uint64_t significand = wide & ((1ull << 52) - 1);
        if (wide_exponent == 0x7ff) return (uint16_t)(significand ? not_a_number : sign | infinity);
        if (wide_exponent == 0 && significand == 0) return (uint16_t)sign;
        if (wide_exponent != 0) significand |= 1ull << 52;
        // number = significand * 2^exponent; the result is a multiple of 2^unit. Subnormal doubles are far
        // below the smallest unit.
        const int exponent = (wide_exponent ? wide_exponent : 1) - 1075;
        const int unit = exponent + 52 - FractionBits > lowest_unit ? exponent + 52 - FractionBits : lowest_unit;
        const int shift = unit - exponent;
        uint64_t kept = shift < 64 ? significand >> shift : 0;
        const bool inexact = shift < 64 ? (significand & ((1ull << shift) - 1)) != 0 : true;
        switch (direction) {
            case toward::nearest: {
                const uint64_t half = shift <= 60 ? 1ull << (shift - 1) : ~0ull;
                const uint64_t rest = shift < 64 ? significand & ((1ull << shift) - 1) : 0;
                kept += rest > half || (rest == half && (kept & 1));
                break;
            }
            case toward::plus_infinity: kept += inexact && !sign; break;
            case toward::minus_infinity: kept += inexact && sign; break;
            case toward::zero: break;
        }
        // The leading one of `kept` counts as 1 in the exponent field, and so does a carry out of it.
        const int64_t encoded = ((int64_t)(unit - lowest_unit) << FractionBits) + (int64_t)kept;
        if (encoded < (int64_t)infinity) return (uint16_t)(sign | (unsigned)encoded);
        const bool to_infinity = direction == toward::nearest || (direction == toward::plus_infinity && !sign) ||
                                 (direction == toward::minus_infinity && sign);
        return (uint16_t)(sign | (to_infinity ? infinity : infinity - 1));
    }
};

// An integer as a double from which every further rounding comes out right: bits that don't fit leave a
// trace in the last one that does ("round to odd").
inline double sticky_double(uint64_t magnitude) {
    if (magnitude >> 53) magnitude = (magnitude >> 11 | ((magnitude & 0x7ff) != 0)) << 11;
    return (double)magnitude;
}
inline double sticky_double(int64_t x) { return x < 0 ? -sticky_double(0 - (uint64_t)x) : sticky_double((uint64_t)x); }

// a * b + c likewise, for a product that is exact.
inline double sticky_multiply_add(double a, double b, double c) {
    const double product = a * b, sum = product + c;
    if (!(fabs(sum) < INFINITY)) return sum;
    const double c_part = sum - product, error = (product - (sum - c_part)) + (c - c_part);
    if (error == 0 || (bits_as<uint64_t>(sum) & 1)) return sum;
    return nextafter(sum, error > 0 ? (double)INFINITY : -(double)INFINITY);
}

// An operation on each of one or two numbers of a format that lie together.
template <int FractionBits, int Count, class F> uint32_t each_half(F &&operation, uint32_t a, uint32_t b, uint32_t c) {
    typedef reduced_format<FractionBits> format;
    uint32_t result = 0;
    for (int at = 0; at < 16 * Count; at += 16)
        result |= (uint32_t)format::rounded(operation(format::value(a >> at & 0xffff), format::value(b >> at & 0xffff), format::value(c >> at & 0xffff))) << at;
    return result;
}

inline double clamped_to_unit(double x) { return x > 0 ? (x < 1 ? x : 1.0) : 0.0; }

}  // namespace smux_cpu
