// The conversions of a 16-bit floating-point type and the functions that take pairs apart. No include guard:
// besides the macros of reduced_float_type.h it needs the conversion functions' name for the type,
//   SMUX_CPU_PASTE(before, after)    before + name + after, as __float2 + half + _rn
//   SMUX_CPU_PASTE2(before, after)   the same with the pair's name

// The four roundings of a number x that a double holds.
#define SMUX_CPU_ROUNDINGS(from, source, sticky)                                                                    \
    SMUX_CPU_INLINE SMUX_CPU_T SMUX_CPU_PASTE(__##from##2, _rn)(source x) {                                         \
        return smux_cpu::reduced_from<SMUX_CPU_T>::number(sticky);                                                  \
    }                                                                                                               \
    SMUX_CPU_INLINE SMUX_CPU_T SMUX_CPU_PASTE(__##from##2, _rz)(source x) {                                         \
        return smux_cpu::reduced_from<SMUX_CPU_T>::number(sticky, smux_cpu::toward::zero);                          \
    }                                                                                                               \
    SMUX_CPU_INLINE SMUX_CPU_T SMUX_CPU_PASTE(__##from##2, _ru)(source x) {                                         \
        return smux_cpu::reduced_from<SMUX_CPU_T>::number(sticky, smux_cpu::toward::plus_infinity);                 \
    }                                                                                                               \
    SMUX_CPU_INLINE SMUX_CPU_T SMUX_CPU_PASTE(__##from##2, _rd)(source x) {                                         \
        return smux_cpu::reduced_from<SMUX_CPU_T>::number(sticky, smux_cpu::toward::minus_infinity);                \
    }
SMUX_CPU_ROUNDINGS(float, float, x)
SMUX_CPU_ROUNDINGS(double, double, x)
SMUX_CPU_ROUNDINGS(short, short, x)
SMUX_CPU_ROUNDINGS(ushort, unsigned short, x)
SMUX_CPU_ROUNDINGS(int, int, x)
SMUX_CPU_ROUNDINGS(uint, unsigned, x)
SMUX_CPU_ROUNDINGS(ll, long long, smux_cpu::sticky_double((int64_t)x))
SMUX_CPU_ROUNDINGS(ull, unsigned long long, smux_cpu::sticky_double((uint64_t)x))
#undef SMUX_CPU_ROUNDINGS

SMUX_CPU_INLINE SMUX_CPU_T SMUX_CPU_PASTE(__float2, )(float x) { return smux_cpu::reduced_from<SMUX_CPU_T>::number(x); }
SMUX_CPU_INLINE SMUX_CPU_T SMUX_CPU_PASTE(__double2, )(double x) { return smux_cpu::reduced_from<SMUX_CPU_T>::number(x); }
SMUX_CPU_INLINE float SMUX_CPU_PASTE(__, 2float)(SMUX_CPU_T h) { return (float)h; }

// To integers, saturating; a NaN becomes 0.
#define SMUX_CPU_TO_INTEGER(name, type, through, mode)                                                    \
    SMUX_CPU_INLINE type SMUX_CPU_PASTE(__, 2##name##_##mode)(SMUX_CPU_T h) {                             \
        const auto whole = __float2##through##_##mode((float)h);                                          \
        typedef std::numeric_limits<type> limits;                                                         \
        if (whole < limits::min()) return limits::min();                                                  \
        return whole > limits::max() ? limits::max() : (type)whole;                                       \
    }
#define SMUX_CPU_TO_INTEGERS(name, type, through)     \
    SMUX_CPU_TO_INTEGER(name, type, through, rn)      \
    SMUX_CPU_TO_INTEGER(name, type, through, rz)      \
    SMUX_CPU_TO_INTEGER(name, type, through, ru)      \
    SMUX_CPU_TO_INTEGER(name, type, through, rd)
SMUX_CPU_TO_INTEGER(char, signed char, int, rz)
SMUX_CPU_TO_INTEGER(uchar, unsigned char, uint, rz)
SMUX_CPU_TO_INTEGERS(short, short, int)
SMUX_CPU_TO_INTEGERS(ushort, unsigned short, uint)
SMUX_CPU_TO_INTEGERS(int, int, int)
SMUX_CPU_TO_INTEGERS(uint, unsigned, uint)
SMUX_CPU_TO_INTEGERS(ll, long long, ll)
SMUX_CPU_TO_INTEGERS(ull, unsigned long long, ull)
#undef SMUX_CPU_TO_INTEGERS
#undef SMUX_CPU_TO_INTEGER

// ---- bits
SMUX_CPU_INLINE short SMUX_CPU_PASTE(__, _as_short)(SMUX_CPU_T h) { return (short)smux_cpu::bits_of(h); }
SMUX_CPU_INLINE unsigned short SMUX_CPU_PASTE(__, _as_ushort)(SMUX_CPU_T h) { return (unsigned short)smux_cpu::bits_of(h); }
SMUX_CPU_INLINE SMUX_CPU_T SMUX_CPU_PASTE(__short_as_, )(short bits) { return smux_cpu::reduced_from<SMUX_CPU_T>::bits((unsigned short)bits); }
SMUX_CPU_INLINE SMUX_CPU_T SMUX_CPU_PASTE(__ushort_as_, )(unsigned short bits) { return smux_cpu::reduced_from<SMUX_CPU_T>::bits(bits); }

// ---- pairs
SMUX_CPU_INLINE SMUX_CPU_T2 SMUX_CPU_PASTE2(__halves2, )(SMUX_CPU_T a, SMUX_CPU_T b) { return {a, b}; }
SMUX_CPU_INLINE SMUX_CPU_T2 SMUX_CPU_PASTE2(make_, )(SMUX_CPU_T a, SMUX_CPU_T b) { return {a, b}; }
SMUX_CPU_INLINE SMUX_CPU_T2 SMUX_CPU_PASTE2(__float2, _rn)(float x) { return {SMUX_CPU_T(x), SMUX_CPU_T(x)}; }
SMUX_CPU_INLINE SMUX_CPU_T2 SMUX_CPU_PASTE2(__floats2, _rn)(float a, float b) { return {SMUX_CPU_T(a), SMUX_CPU_T(b)}; }
SMUX_CPU_INLINE SMUX_CPU_T2 SMUX_CPU_PASTE2(__float22, _rn)(float2 v) { return {SMUX_CPU_T(v.x), SMUX_CPU_T(v.y)}; }
SMUX_CPU_INLINE float2 SMUX_CPU_PASTE2(__, 2float2)(SMUX_CPU_T2 v) { return {(float)v.x, (float)v.y}; }
SMUX_CPU_INLINE SMUX_CPU_T SMUX_CPU_PASTE(__low2, )(SMUX_CPU_T2 v) { return v.x; }
SMUX_CPU_INLINE SMUX_CPU_T SMUX_CPU_PASTE(__high2, )(SMUX_CPU_T2 v) { return v.y; }
SMUX_CPU_INLINE float __low2float(SMUX_CPU_T2 v) { return (float)v.x; }
SMUX_CPU_INLINE float __high2float(SMUX_CPU_T2 v) { return (float)v.y; }
SMUX_CPU_INLINE SMUX_CPU_T2 SMUX_CPU_PASTE2(__low2, )(SMUX_CPU_T2 v) { return {v.x, v.x}; }
SMUX_CPU_INLINE SMUX_CPU_T2 SMUX_CPU_PASTE2(__high2, )(SMUX_CPU_T2 v) { return {v.y, v.y}; }
SMUX_CPU_INLINE SMUX_CPU_T2 SMUX_CPU_PASTE2(__lows2, )(SMUX_CPU_T2 a, SMUX_CPU_T2 b) { return {a.x, b.x}; }
SMUX_CPU_INLINE SMUX_CPU_T2 SMUX_CPU_PASTE2(__highs2, )(SMUX_CPU_T2 a, SMUX_CPU_T2 b) { return {a.y, b.y}; }
SMUX_CPU_INLINE SMUX_CPU_T2 __lowhigh2highlow(SMUX_CPU_T2 v) { return {v.y, v.x}; }
