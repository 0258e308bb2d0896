// The arithmetic functions of a 16-bit floating-point type, for numbers and for pairs. No include guard: for
// the macros see reduced_float_type.h, which comes first. Both types use the same function names.

// The functions name (of numbers) and name2 (of pairs) from an expression in the doubles a, b, c.
#define SMUX_CPU_UNARY(name, name2, expression)                                                          \
    SMUX_CPU_INLINE SMUX_CPU_T name(SMUX_CPU_T ha) {                                                     \
        const double a = smux_cpu::number(ha);                                                           \
        return smux_cpu::reduced_from<SMUX_CPU_T>::number(expression);                                   \
    }                                                                                                    \
    SMUX_CPU_INLINE SMUX_CPU_T2 name2(SMUX_CPU_T2 a) { return {name(a.x), name(a.y)}; }
#define SMUX_CPU_BINARY(name, name2, expression)                                                         \
    SMUX_CPU_INLINE SMUX_CPU_T name(SMUX_CPU_T ha, SMUX_CPU_T hb) {                                      \
        const double a = smux_cpu::number(ha), b = smux_cpu::number(hb);                                 \
        return smux_cpu::reduced_from<SMUX_CPU_T>::number(expression);                                   \
    }                                                                                                    \
    SMUX_CPU_INLINE SMUX_CPU_T2 name2(SMUX_CPU_T2 a, SMUX_CPU_T2 b) { return {name(a.x, b.x), name(a.y, b.y)}; }
#define SMUX_CPU_TERNARY(name, name2, expression)                                                        \
    SMUX_CPU_INLINE SMUX_CPU_T name(SMUX_CPU_T ha, SMUX_CPU_T hb, SMUX_CPU_T hc) {                       \
        const double a = smux_cpu::number(ha), b = smux_cpu::number(hb), c = smux_cpu::number(hc);       \
        return smux_cpu::reduced_from<SMUX_CPU_T>::number(expression);                                   \
    }                                                                                                    \
    SMUX_CPU_INLINE SMUX_CPU_T2 name2(SMUX_CPU_T2 a, SMUX_CPU_T2 b, SMUX_CPU_T2 c) {                     \
        return {name(a.x, b.x, c.x), name(a.y, b.y, c.y)};                                               \
    }

// ---- arithmetic: as is, never contracted (rn), clamped to [0, 1] (sat), negative results cut to 0 (relu)
SMUX_CPU_BINARY(__hadd, __hadd2, a + b)
SMUX_CPU_BINARY(__hadd_rn, __hadd2_rn, a + b)
SMUX_CPU_BINARY(__hadd_sat, __hadd2_sat, smux_cpu::clamped_to_unit(a + b))
SMUX_CPU_BINARY(__hsub, __hsub2, a - b)
SMUX_CPU_BINARY(__hsub_rn, __hsub2_rn, a - b)
SMUX_CPU_BINARY(__hsub_sat, __hsub2_sat, smux_cpu::clamped_to_unit(a - b))
SMUX_CPU_BINARY(__hmul, __hmul2, a * b)
SMUX_CPU_BINARY(__hmul_rn, __hmul2_rn, a * b)
SMUX_CPU_BINARY(__hmul_sat, __hmul2_sat, smux_cpu::clamped_to_unit(a * b))
SMUX_CPU_BINARY(__hdiv, __h2div, a / b)
SMUX_CPU_TERNARY(__hfma, __hfma2, smux_cpu::sticky_multiply_add(a, b, c))
SMUX_CPU_TERNARY(__hfma_sat, __hfma2_sat, smux_cpu::clamped_to_unit(smux_cpu::sticky_multiply_add(a, b, c)))
SMUX_CPU_TERNARY(__hfma_relu, __hfma2_relu, smux_cpu::sticky_multiply_add(a, b, c) < 0 ? 0.0 : smux_cpu::sticky_multiply_add(a, b, c))

// ---- elementary functions
SMUX_CPU_UNARY(hceil, h2ceil, ceil(a))
SMUX_CPU_UNARY(hcos, h2cos, cos(a))
SMUX_CPU_UNARY(hexp, h2exp, exp(a))
SMUX_CPU_UNARY(hexp10, h2exp10, pow(10.0, a))
SMUX_CPU_UNARY(hexp2, h2exp2, exp2(a))
SMUX_CPU_UNARY(hfloor, h2floor, floor(a))
SMUX_CPU_UNARY(hlog, h2log, log(a))
SMUX_CPU_UNARY(hlog10, h2log10, log10(a))
SMUX_CPU_UNARY(hlog2, h2log2, log2(a))
SMUX_CPU_UNARY(hrcp, h2rcp, 1.0 / a)
SMUX_CPU_UNARY(hrint, h2rint, nearbyint(a))
SMUX_CPU_UNARY(hrsqrt, h2rsqrt, 1.0 / sqrt(a))
SMUX_CPU_UNARY(hsin, h2sin, sin(a))
SMUX_CPU_UNARY(hsqrt, h2sqrt, sqrt(a))
SMUX_CPU_UNARY(htanh, h2tanh, tanh(a))
SMUX_CPU_UNARY(htrunc, h2trunc, trunc(a))

#undef SMUX_CPU_TERNARY
#undef SMUX_CPU_BINARY
#undef SMUX_CPU_UNARY

// ---- sign, classes
SMUX_CPU_INLINE SMUX_CPU_T __hneg(SMUX_CPU_T a) { return -a; }
SMUX_CPU_INLINE SMUX_CPU_T2 __hneg2(SMUX_CPU_T2 a) { return -a; }
SMUX_CPU_INLINE SMUX_CPU_T __habs(SMUX_CPU_T a) { return smux_cpu::reduced_from<SMUX_CPU_T>::bits(smux_cpu::bits_of(a) & 0x7fff); }
SMUX_CPU_INLINE SMUX_CPU_T2 __habs2(SMUX_CPU_T2 a) { return {__habs(a.x), __habs(a.y)}; }
SMUX_CPU_INLINE bool __hisnan(SMUX_CPU_T a) { return smux_cpu::is_nan(a); }
SMUX_CPU_INLINE SMUX_CPU_T2 __hisnan2(SMUX_CPU_T2 a) { return {SMUX_CPU_T((float)smux_cpu::is_nan(a.x)), SMUX_CPU_T((float)smux_cpu::is_nan(a.y))}; }
SMUX_CPU_INLINE int __hisinf(SMUX_CPU_T a) {
    if ((smux_cpu::bits_of(a) & 0x7fff) != SMUX_CPU_FORMAT::infinity) return 0;
    return smux_cpu::bits_of(a) & 0x8000 ? -1 : 1;
}

// ---- the larger and the smaller: of a number and a NaN the number, or with suffix nan the NaN; -0 is below 0
namespace smux_cpu {
SMUX_CPU_INLINE bool less_or_same(SMUX_CPU_T a, SMUX_CPU_T b) {
    return number(a) < number(b) || (number(a) == number(b) && bits_of(a) & 0x8000);
}
}  // namespace smux_cpu
#define SMUX_CPU_EXTREME(name, name2, name_nan, name2_nan, chosen)                                                       \
    SMUX_CPU_INLINE SMUX_CPU_T name(SMUX_CPU_T a, SMUX_CPU_T b) {                                                        \
        if (smux_cpu::is_nan(a) && smux_cpu::is_nan(b)) return smux_cpu::reduced_from<SMUX_CPU_T>::bits(0x7fff);         \
        if (smux_cpu::is_nan(a)) return b;                                                                               \
        if (smux_cpu::is_nan(b)) return a;                                                                               \
        return chosen;                                                                                                   \
    }                                                                                                                    \
    SMUX_CPU_INLINE SMUX_CPU_T name_nan(SMUX_CPU_T a, SMUX_CPU_T b) {                                                    \
        if (smux_cpu::is_nan(a) || smux_cpu::is_nan(b)) return smux_cpu::reduced_from<SMUX_CPU_T>::bits(0x7fff);         \
        return chosen;                                                                                                   \
    }                                                                                                                    \
    SMUX_CPU_INLINE SMUX_CPU_T2 name2(SMUX_CPU_T2 a, SMUX_CPU_T2 b) { return {name(a.x, b.x), name(a.y, b.y)}; }         \
    SMUX_CPU_INLINE SMUX_CPU_T2 name2_nan(SMUX_CPU_T2 a, SMUX_CPU_T2 b) { return {name_nan(a.x, b.x), name_nan(a.y, b.y)}; }
SMUX_CPU_EXTREME(__hmax, __hmax2, __hmax_nan, __hmax2_nan, smux_cpu::less_or_same(a, b) ? b : a)
SMUX_CPU_EXTREME(__hmin, __hmin2, __hmin_nan, __hmin2_nan, smux_cpu::less_or_same(a, b) ? a : b)
#undef SMUX_CPU_EXTREME

// ---- comparisons: false for NaNs, or with suffix u true. Of pairs: 1.0 or 0.0 each (h..2), all ones or
// zeros each (mask), or whether it holds for both (hb..2).
#define SMUX_CPU_COMPARE(name, op, or_unordered)                                                                                                \
    SMUX_CPU_INLINE bool __h##name(SMUX_CPU_T a, SMUX_CPU_T b) {                                                                                \
        if (smux_cpu::is_nan(a) || smux_cpu::is_nan(b)) return or_unordered;                                                                    \
        return smux_cpu::number(a) op smux_cpu::number(b);                                                                                      \
    }                                                                                                                                           \
    SMUX_CPU_INLINE SMUX_CPU_T2 __h##name##2(SMUX_CPU_T2 a, SMUX_CPU_T2 b) {                                                                    \
        return {SMUX_CPU_T((float)__h##name(a.x, b.x)), SMUX_CPU_T((float)__h##name(a.y, b.y))};                                                \
    }                                                                                                                                           \
    SMUX_CPU_INLINE unsigned __h##name##2_mask(SMUX_CPU_T2 a, SMUX_CPU_T2 b) {                                                                  \
        return (__h##name(a.x, b.x) ? 0xffffu : 0u) | (__h##name(a.y, b.y) ? 0xffff0000u : 0u);                                                 \
    }                                                                                                                                           \
    SMUX_CPU_INLINE bool __hb##name##2(SMUX_CPU_T2 a, SMUX_CPU_T2 b) { return __h##name(a.x, b.x) && __h##name(a.y, b.y); }
#define SMUX_CPU_COMPARES(name, op)     \
    SMUX_CPU_COMPARE(name, op, false)   \
    SMUX_CPU_COMPARE(name##u, op, true)
SMUX_CPU_COMPARES(eq, ==)
SMUX_CPU_COMPARES(ne, !=)
SMUX_CPU_COMPARES(lt, <)
SMUX_CPU_COMPARES(le, <=)
SMUX_CPU_COMPARES(gt, >)
SMUX_CPU_COMPARES(ge, >=)
#undef SMUX_CPU_COMPARES
#undef SMUX_CPU_COMPARE
