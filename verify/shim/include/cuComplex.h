// Complex numbers of CUDA: pairs of floats or doubles with functions, no operators.
#ifndef CU_COMPLEX_H_  // the toolkit's own copy may have come first, by a header of a library
#define CU_COMPLEX_H_
#include "smux_cpu/names_begin.h"

#include <math.h>

#include "smux_cpu/host.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

// The functions of one precision; `f` is the suffix of those for float.
#define SMUX_CPU_COMPLEX(complex, make, type, f)                                                                          \
    SMUX_CPU_INLINE type cuCreal##f(complex a) { return a.x; }                                                            \
    SMUX_CPU_INLINE type cuCimag##f(complex a) { return a.y; }                                                            \
    SMUX_CPU_INLINE complex make(type real, type imaginary) { return {real, imaginary}; }                                 \
    SMUX_CPU_INLINE complex cuConj##f(complex a) { return {a.x, -a.y}; }                                                  \
    SMUX_CPU_INLINE complex cuCadd##f(complex a, complex b) { return {a.x + b.x, a.y + b.y}; }                            \
    SMUX_CPU_INLINE complex cuCsub##f(complex a, complex b) { return {a.x - b.x, a.y - b.y}; }                            \
    SMUX_CPU_INLINE complex cuCmul##f(complex a, complex b) { return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; }    \
    /* Both are scaled, so that the squares neither overflow nor vanish. */                                               \
    SMUX_CPU_INLINE complex cuCdiv##f(complex a, complex b) {                                                             \
        const type scale = 1 / (fabs##f(b.x) + fabs##f(b.y));                                                             \
        const type ax = a.x * scale, ay = a.y * scale, bx = b.x * scale, by = b.y * scale;                                \
        const type size = 1 / (bx * bx + by * by);                                                                        \
        return {(ax * bx + ay * by) * size, (ay * bx - ax * by) * size};                                                  \
    }                                                                                                                     \
    SMUX_CPU_INLINE type cuCabs##f(complex a) { return hypot##f(a.x, a.y); }                                              \
    SMUX_CPU_INLINE complex cuCfma##f(complex a, complex b, complex c) {                                                  \
        return {a.x * b.x + c.x - a.y * b.y, a.x * b.y + c.y + a.y * b.x};                                                \
    }

SMUX_CPU_COMPLEX(cuFloatComplex, make_cuFloatComplex, float, f)
SMUX_CPU_COMPLEX(cuDoubleComplex, make_cuDoubleComplex, double, )

#undef SMUX_CPU_COMPLEX

SMUX_CPU_INLINE cuComplex make_cuComplex(float real, float imaginary) { return {real, imaginary}; }
SMUX_CPU_INLINE cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex a) { return {a.x, a.y}; }
SMUX_CPU_INLINE cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex a) { return {(float)a.x, (float)a.y}; }

#include "smux_cpu/names_end.h"
#endif
