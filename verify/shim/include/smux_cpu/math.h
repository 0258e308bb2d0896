// The mathematical functions that CUDA has and the C library lacks. Results are those of the CPU's
// library, mostly correctly rounded: equal in both programs of a comparison, but not bit for bit those
// of a GPU. The single-precision ones are computed in double precision and rounded once.
//
// For each function the float version (suffix f) and the overload for float exist, as in CUDA.
// Modelled: Arithmetic | the CPU's, without contraction | a GPU's own last digits, shifts by the width or more
#pragma once
#include <math.h>
#include <stdlib.h>

#include "smux_cpu/minmax.h"
#include "smux_cpu/special_functions.h"

// Newer C libraries have some of the functions below, with C linkage; then theirs are taken.
#if defined(__GLIBC__) && defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 41)
#define SMUX_CPU_LIBRARY_HAS_SINPI
#endif
#if __GLIBC_PREREQ(2, 42)
#define SMUX_CPU_LIBRARY_HAS_RSQRT
#endif
#endif

// From the double version of a function of one argument: the float version and the overload.
#define SMUX_CPU_FLOAT_VERSIONS(name)                                                   \
    SMUX_CPU_INLINE float name##f(float x) { return (float)name((double)x); }           \
    SMUX_CPU_INLINE float name(float x) { return (float)name((double)x); }

// ---- powers and roots
#ifdef SMUX_CPU_LIBRARY_HAS_RSQRT
SMUX_CPU_INLINE float rsqrt(float x) { return rsqrtf(x); }
#else
SMUX_CPU_INLINE double rsqrt(double x) { return 1.0 / sqrt(x); }
SMUX_CPU_FLOAT_VERSIONS(rsqrt)
#endif
SMUX_CPU_INLINE double rcbrt(double x) { return 1.0 / cbrt(x); }
SMUX_CPU_FLOAT_VERSIONS(rcbrt)
#ifndef __USE_GNU  // glibc's own
SMUX_CPU_INLINE double exp10(double x) { return pow(10.0, x); }
SMUX_CPU_INLINE float exp10f(float x) { return (float)pow(10.0, (double)x); }
#endif
SMUX_CPU_INLINE float exp10(float x) { return exp10f(x); }

// ---- trigonometry
#ifdef SMUX_CPU_LIBRARY_HAS_SINPI
SMUX_CPU_INLINE float sinpi(float x) { return sinpif(x); }
SMUX_CPU_INLINE float cospi(float x) { return cospif(x); }
#else
SMUX_CPU_INLINE double sinpi(double x) { return smux_cpu::sin_of_pi_times(x); }
SMUX_CPU_INLINE double cospi(double x) { return smux_cpu::cos_of_pi_times(x); }
SMUX_CPU_FLOAT_VERSIONS(sinpi)
SMUX_CPU_FLOAT_VERSIONS(cospi)
#endif
SMUX_CPU_INLINE void sincospi(double x, double *sine, double *cosine) {
    *sine = sinpi(x);
    *cosine = cospi(x);
}
SMUX_CPU_INLINE void sincospif(float x, float *sine, float *cosine) {
    *sine = sinpif(x);
    *cosine = cospif(x);
}
SMUX_CPU_INLINE void sincospi(float x, float *sine, float *cosine) { sincospif(x, sine, cosine); }
#ifndef __USE_GNU
SMUX_CPU_INLINE void sincos(double x, double *sine, double *cosine) {
    *sine = sin(x);
    *cosine = cos(x);
}
SMUX_CPU_INLINE void sincosf(float x, float *sine, float *cosine) {
    *sine = sinf(x);
    *cosine = cosf(x);
}
#endif
SMUX_CPU_INLINE void sincos(float x, float *sine, float *cosine) {
    *sine = sinf(x);
    *cosine = cosf(x);
}

// ---- the normal distribution, the error function, Bessel functions
SMUX_CPU_INLINE double erfinv(double x) { return smux_cpu::inverse_erf(x); }
SMUX_CPU_FLOAT_VERSIONS(erfinv)
SMUX_CPU_INLINE double erfcinv(double x) { return smux_cpu::inverse_erfc(x); }
SMUX_CPU_FLOAT_VERSIONS(erfcinv)
SMUX_CPU_INLINE double erfcx(double x) { return smux_cpu::scaled_erfc(x); }
SMUX_CPU_FLOAT_VERSIONS(erfcx)
SMUX_CPU_INLINE double normcdf(double x) { return 0.5 * erfc(-x * smux_cpu::sqrt_half); }
SMUX_CPU_FLOAT_VERSIONS(normcdf)
SMUX_CPU_INLINE double normcdfinv(double p) { return -smux_cpu::inverse_erfc(2.0 * p) / smux_cpu::sqrt_half; }
SMUX_CPU_FLOAT_VERSIONS(normcdfinv)
SMUX_CPU_INLINE double cyl_bessel_i0(double x) { return smux_cpu::modified_bessel(0, x); }
SMUX_CPU_FLOAT_VERSIONS(cyl_bessel_i0)
SMUX_CPU_INLINE double cyl_bessel_i1(double x) { return smux_cpu::modified_bessel(1, x); }
SMUX_CPU_FLOAT_VERSIONS(cyl_bessel_i1)
SMUX_CPU_INLINE float j0(float x) { return (float)j0((double)x); }
SMUX_CPU_INLINE float j1(float x) { return (float)j1((double)x); }
SMUX_CPU_INLINE float jn(int n, float x) { return (float)jn(n, (double)x); }
SMUX_CPU_INLINE float y0(float x) { return (float)y0((double)x); }
SMUX_CPU_INLINE float y1(float x) { return (float)y1((double)x); }
SMUX_CPU_INLINE float yn(int n, float x) { return (float)yn(n, (double)x); }

#undef SMUX_CPU_FLOAT_VERSIONS

// ---- Euclidean norms and their reciprocals
SMUX_CPU_INLINE double rhypot(double x, double y) { return 1.0 / hypot(x, y); }
SMUX_CPU_INLINE float rhypotf(float x, float y) { return (float)rhypot((double)x, (double)y); }
SMUX_CPU_INLINE float rhypot(float x, float y) { return rhypotf(x, y); }
SMUX_CPU_INLINE double norm3d(double x, double y, double z) { return hypot(hypot(x, y), z); }
SMUX_CPU_INLINE float norm3df(float x, float y, float z) { return (float)norm3d(x, y, z); }
SMUX_CPU_INLINE double rnorm3d(double x, double y, double z) { return 1.0 / norm3d(x, y, z); }
SMUX_CPU_INLINE float rnorm3df(float x, float y, float z) { return (float)rnorm3d(x, y, z); }
SMUX_CPU_INLINE double norm4d(double x, double y, double z, double w) { return hypot(hypot(x, y), hypot(z, w)); }
SMUX_CPU_INLINE float norm4df(float x, float y, float z, float w) { return (float)norm4d(x, y, z, w); }
SMUX_CPU_INLINE double rnorm4d(double x, double y, double z, double w) { return 1.0 / norm4d(x, y, z, w); }
SMUX_CPU_INLINE float rnorm4df(float x, float y, float z, float w) { return (float)rnorm4d(x, y, z, w); }
SMUX_CPU_INLINE double norm(int n, const double *v) {
    double length = 0;
    for (int i = 0; i < n; i++) length = hypot(length, v[i]);
    return length;
}
SMUX_CPU_INLINE float normf(int n, const float *v) {
    double length = 0;
    for (int i = 0; i < n; i++) length = hypot(length, (double)v[i]);
    return (float)length;
}
SMUX_CPU_INLINE float norm(int n, const float *v) { return normf(n, v); }
SMUX_CPU_INLINE double rnorm(int n, const double *v) { return 1.0 / norm(n, v); }
SMUX_CPU_INLINE float rnormf(int n, const float *v) { return 1.0f / normf(n, v); }
SMUX_CPU_INLINE float rnorm(int n, const float *v) { return rnormf(n, v); }

// ---- division
SMUX_CPU_INLINE float fdividef(float x, float y) { return x / y; }
SMUX_CPU_INLINE float fdivide(float x, float y) { return x / y; }
SMUX_CPU_INLINE double fdivide(double x, double y) { return x / y; }
