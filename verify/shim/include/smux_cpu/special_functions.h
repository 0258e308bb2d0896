// The numerics behind math.h: functions whose definition is more than a line. Errors are a few units in
// the last place of a double, below the rounding of the float versions that GPUs use most.
#pragma once
#include <math.h>

namespace smux_cpu {

constexpr double pi = 3.14159265358979323846;
constexpr double sqrt_half = 0.70710678118654752440;
constexpr double two_over_sqrt_pi = 1.12837916709551257390;

// sin(pi x), exact at multiples of one half. The reduction to [-1, 1] is exact in binary.
inline double sin_of_pi_times(double x) {
    double r = remainder(x, 2.0);
    if (fabs(r) > 0.5) r = copysign(1.0, r) - r;
    return r == 0 ? copysign(0.0, x) : sin(pi * r);
}

inline double cos_of_pi_times(double x) {
    double r = fabs(remainder(x, 2.0));
    return r < 0.25 ? cos(pi * r) : sin(pi * (0.5 - r));
}

// The x with erfc(x) = y. From Winitzki's approximation (relative error 2e-3) by Halley's method, which
// triples the number of right digits at each step.
inline double inverse_erfc(double y) {
    if (!(y >= 0 && y <= 2)) return NAN;
    if (y == 0) return INFINITY;
    if (y == 2) return -INFINITY;
    if (y == 1) return 0;
    if (y > 1) return -inverse_erfc(2.0 - y);
    const double a = 0.147;
    double log_product = log(y) + log(2.0 - y);
    double t = 2.0 / (pi * a) + 0.5 * log_product;
    double x = sqrt(sqrt(t * t - log_product / a) - t);
    for (int step = 0; step < 3; step++) {
        double newton = (erfc(x) - y) / (two_over_sqrt_pi * exp(-x * x));
        x += newton / (1.0 + x * newton);
    }
    return x;
}

// The x with erf(x) = y; near zero by erf itself, because 1 - y loses digits there.
inline double inverse_erf(double y) {
    if (!(fabs(y) <= 0.5)) return y < 0 ? -inverse_erfc(1.0 + y) : inverse_erfc(1.0 - y);
    double x = y / two_over_sqrt_pi * (1.0 + pi / 12.0 * y * y);
    for (int step = 0; step < 3; step++) {
        double newton = (erf(x) - y) / (two_over_sqrt_pi * exp(-x * x));
        x -= newton / (1.0 + x * newton);
    }
    return x;
}

// exp(x * x) * erfc(x). Where the factors would overflow and underflow: the asymptotic series.
inline double scaled_erfc(double x) {
    if (x < 25) return exp(x * x) * erfc(x);
    double s = 1.0 / (2.0 * x * x);
    return 0.5 * two_over_sqrt_pi / x * (1.0 - s * (1.0 - 3.0 * s * (1.0 - 5.0 * s * (1.0 - 7.0 * s * (1.0 - 9.0 * s)))));
}

// The modified Bessel function of the first kind of order 0 or 1, by its power series; from 30 on by the
// asymptotic one.
inline double modified_bessel(int order, double x) {
    double size = fabs(x), sum, term;
    if (size < 30) {
        double quarter = 0.25 * size * size;
        sum = term = order == 0 ? 1.0 : 0.5 * size;
        for (int k = 1; k < 200 && term > sum * 1e-18; k++) {
            term *= quarter / ((double)k * (k + order));
            sum += term;
        }
    } else {
        double mu = 4.0 * order * order;
        sum = term = 1.0;
        for (int k = 1; k < 30; k++) {
            double odd = 2.0 * k - 1.0;
            term *= -(mu - odd * odd) / (k * 8.0 * size);
            sum += term;
        }
        sum *= exp(0.5 * size) / sqrt(2.0 * pi * size) * exp(0.5 * size);
    }
    return order == 1 && x < 0 ? -sum : sum;
}

}  // namespace smux_cpu
