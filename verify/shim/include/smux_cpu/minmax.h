// min and max as CUDA predeclares them: plain functions in the global namespace for each pair of types
// that it lists, so that a call which is ambiguous for nvcc is ambiguous here.
#pragma once
#include <math.h>

#include "smux_cpu/vector_types.h"

#define SMUX_CPU_INTEGER_MINMAX(result, first, second)                                                          \
    SMUX_CPU_INLINE result min(first a, second b) { return (result)a < (result)b ? (result)a : (result)b; }     \
    SMUX_CPU_INLINE result max(first a, second b) { return (result)a > (result)b ? (result)a : (result)b; }

// The result of mixed signedness is unsigned, and so is the comparison.
#define SMUX_CPU_INTEGER_FAMILY(type)                       \
    SMUX_CPU_INTEGER_MINMAX(type, type, type)               \
    SMUX_CPU_INTEGER_MINMAX(unsigned type, unsigned type, unsigned type) \
    SMUX_CPU_INTEGER_MINMAX(unsigned type, type, unsigned type)          \
    SMUX_CPU_INTEGER_MINMAX(unsigned type, unsigned type, type)

SMUX_CPU_INTEGER_FAMILY(int)
SMUX_CPU_INTEGER_FAMILY(long)
SMUX_CPU_INTEGER_FAMILY(long long)

#undef SMUX_CPU_INTEGER_FAMILY
#undef SMUX_CPU_INTEGER_MINMAX

// Of a number and a NaN both give the number, as fmin and fmax.
SMUX_CPU_INLINE float min(float a, float b) { return fminf(a, b); }
SMUX_CPU_INLINE float max(float a, float b) { return fmaxf(a, b); }
SMUX_CPU_INLINE double min(double a, double b) { return fmin(a, b); }
SMUX_CPU_INLINE double max(double a, double b) { return fmax(a, b); }
SMUX_CPU_INLINE double min(float a, double b) { return fmin((double)a, b); }
SMUX_CPU_INLINE double max(float a, double b) { return fmax((double)a, b); }
SMUX_CPU_INLINE double min(double a, float b) { return fmin(a, (double)b); }
SMUX_CPU_INLINE double max(double a, float b) { return fmax(a, (double)b); }

SMUX_CPU_INLINE unsigned umin(unsigned a, unsigned b) { return a < b ? a : b; }
SMUX_CPU_INLINE unsigned umax(unsigned a, unsigned b) { return a > b ? a : b; }
SMUX_CPU_INLINE long long llmin(long long a, long long b) { return a < b ? a : b; }
SMUX_CPU_INLINE long long llmax(long long a, long long b) { return a > b ? a : b; }
SMUX_CPU_INLINE unsigned long long ullmin(unsigned long long a, unsigned long long b) { return a < b ? a : b; }
SMUX_CPU_INLINE unsigned long long ullmax(unsigned long long a, unsigned long long b) { return a > b ? a : b; }
