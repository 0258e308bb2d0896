// Packed arithmetic: intrinsics on the four bytes (suffix 4) or two halves (suffix 2) of a word. In the
// names s is signed, u unsigned, ss and us saturating; comparisons give all ones (vcmp) or one (vset).
#pragma once
#include <stdint.h>

#include "smux_cpu/vector_types.h"

namespace smux_cpu {

// operation on each pair of elements, computed in int, the result cut to the element's bits.
template <class Element, class Operation> SMUX_CPU_INLINE unsigned each(unsigned a, unsigned b, Operation operation) {
    constexpr int bits = 8 * sizeof(Element);
    constexpr unsigned mask = (1u << bits) - 1;
    unsigned result = 0;
    for (int at = 0; at < 32; at += bits)
        result |= ((unsigned)operation((int)(Element)(a >> at), (int)(Element)(b >> at)) & mask) << at;
    return result;
}

// The sum of operation over the pairs.
template <class Element, class Operation> SMUX_CPU_INLINE unsigned sum_each(unsigned a, unsigned b, Operation operation) {
    constexpr int bits = 8 * sizeof(Element);
    unsigned result = 0;
    for (int at = 0; at < 32; at += bits) result += (unsigned)operation((int)(Element)(a >> at), (int)(Element)(b >> at));
    return result;
}

// The nearest value that Element has.
template <class Element> SMUX_CPU_INLINE int saturate_to(int x) {
    constexpr int bits = 8 * sizeof(Element);
    constexpr bool is_signed = (Element)-1 < (Element)0;
    constexpr int low = is_signed ? -(1 << (bits - 1)) : 0, high = is_signed ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;
    return x < low ? low : x > high ? high : x;
}

}  // namespace smux_cpu

// Binary and unary ones, for both element sizes: `name`, then an expression in x and y.
#define SMUX_CPU_BINARY(name, element, expression)                                                                                          \
    SMUX_CPU_INLINE unsigned name##2(unsigned a, unsigned b) {                                                                              \
        typedef element##16_t element_t;                                                                                                    \
        return smux_cpu::each<element_t>(a, b, [](int x, int y) -> int { typedef element_t T; (void)sizeof(T); return expression; });       \
    }                                                                                                                                       \
    SMUX_CPU_INLINE unsigned name##4(unsigned a, unsigned b) {                                                                              \
        typedef element##8_t element_t;                                                                                                     \
        return smux_cpu::each<element_t>(a, b, [](int x, int y) -> int { typedef element_t T; (void)sizeof(T); return expression; });       \
    }
#define SMUX_CPU_UNARY(name, element, expression)                                                                                           \
    SMUX_CPU_INLINE unsigned name##2(unsigned a) {                                                                                          \
        typedef element##16_t element_t;                                                                                                    \
        return smux_cpu::each<element_t>(a, a, [](int x, int) -> int { typedef element_t T; (void)sizeof(T); return expression; });         \
    }                                                                                                                                       \
    SMUX_CPU_INLINE unsigned name##4(unsigned a) {                                                                                          \
        typedef element##8_t element_t;                                                                                                     \
        return smux_cpu::each<element_t>(a, a, [](int x, int) -> int { typedef element_t T; (void)sizeof(T); return expression; });         \
    }
#define SMUX_CPU_SUM(name, element, expression)                                                                                             \
    SMUX_CPU_INLINE unsigned name##2(unsigned a, unsigned b) {                                                                              \
        return smux_cpu::sum_each<element##16_t>(a, b, [](int x, int y) -> int { return expression; });                                     \
    }                                                                                                                                       \
    SMUX_CPU_INLINE unsigned name##4(unsigned a, unsigned b) {                                                                              \
        return smux_cpu::sum_each<element##8_t>(a, b, [](int x, int y) -> int { return expression; });                                      \
    }
#define SMUX_CPU_COMPARISON(name, element, operation)    \
    SMUX_CPU_BINARY(__vcmp##name, element, x operation y ? -1 : 0) \
    SMUX_CPU_BINARY(__vset##name, element, x operation y ? 1 : 0)

SMUX_CPU_BINARY(__vadd, uint, x + y)
SMUX_CPU_BINARY(__vaddss, int, smux_cpu::saturate_to<T>(x + y))
SMUX_CPU_BINARY(__vaddus, uint, smux_cpu::saturate_to<T>(x + y))
SMUX_CPU_BINARY(__vsub, uint, x - y)
SMUX_CPU_BINARY(__vsubss, int, smux_cpu::saturate_to<T>(x - y))
SMUX_CPU_BINARY(__vsubus, uint, smux_cpu::saturate_to<T>(x - y))
SMUX_CPU_UNARY(__vabs, int, x < 0 ? -x : x)
SMUX_CPU_UNARY(__vabsss, int, smux_cpu::saturate_to<T>(x < 0 ? -x : x))
SMUX_CPU_UNARY(__vneg, int, -x)
SMUX_CPU_UNARY(__vnegss, int, smux_cpu::saturate_to<T>(-x))
SMUX_CPU_BINARY(__vabsdiffs, int, x > y ? x - y : y - x)
SMUX_CPU_BINARY(__vabsdiffu, uint, x > y ? x - y : y - x)
SMUX_CPU_BINARY(__vavgs, int, (x + y + (x + y >= 0)) >> 1)
SMUX_CPU_BINARY(__vavgu, uint, (x + y + 1) >> 1)
SMUX_CPU_BINARY(__vhaddu, uint, (x + y) >> 1)
SMUX_CPU_BINARY(__vmaxs, int, x > y ? x : y)
SMUX_CPU_BINARY(__vmaxu, uint, x > y ? x : y)
SMUX_CPU_BINARY(__vmins, int, x < y ? x : y)
SMUX_CPU_BINARY(__vminu, uint, x < y ? x : y)
SMUX_CPU_SUM(__vsads, int, x > y ? x - y : y - x)
SMUX_CPU_SUM(__vsadu, uint, x > y ? x - y : y - x)
SMUX_CPU_COMPARISON(eq, uint, ==)
SMUX_CPU_COMPARISON(ne, uint, !=)
SMUX_CPU_COMPARISON(ges, int, >=)
SMUX_CPU_COMPARISON(geu, uint, >=)
SMUX_CPU_COMPARISON(gts, int, >)
SMUX_CPU_COMPARISON(gtu, uint, >)
SMUX_CPU_COMPARISON(les, int, <=)
SMUX_CPU_COMPARISON(leu, uint, <=)
SMUX_CPU_COMPARISON(lts, int, <)
SMUX_CPU_COMPARISON(ltu, uint, <)

#undef SMUX_CPU_COMPARISON
#undef SMUX_CPU_SUM
#undef SMUX_CPU_UNARY
#undef SMUX_CPU_BINARY
