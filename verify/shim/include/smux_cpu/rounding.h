// One operation under a given rounding mode. The operands pass through memory that the compiler can't
// look into, so that the operation is neither folded nor moved out of the part with the other mode.
#pragma once
#include <fenv.h>

#include "smux_cpu/vector_types.h"

namespace smux_cpu {

template <class T> SMUX_CPU_INLINE void opaque(T &value) { __asm__ volatile("" : "+m"(value) : : "memory"); }

// A mode that fesetround understands for the four suffixes that CUDA has.
constexpr int rounding_rn = FE_TONEAREST, rounding_rz = FE_TOWARDZERO, rounding_ru = FE_UPWARD, rounding_rd = FE_DOWNWARD;

template <int Mode, class Operation, class T> inline T rounded(Operation operation, T a, T b = T(), T c = T()) {
    fesetround(Mode);
    opaque(a);
    opaque(b);
    opaque(c);
    T result = operation(a, b, c);
    opaque(result);
    fesetround(FE_TONEAREST);
    return result;
}

// The conversion of `value` to the floating type `To` under a rounding mode.
template <int Mode, class To, class From> inline To rounded_conversion(From value) {
    fesetround(Mode);
    opaque(value);
    To result = (To)value;
    opaque(result);
    fesetround(FE_TONEAREST);
    return result;
}

}  // namespace smux_cpu
