// ERI: a Coulomb matrix from two-electron integrals, in double precision.
//
// Electrons repel each other: J(a, b) = sum over c, d of D(c, d) (ab|cd). One thread takes one pair
// of p functions on the left, nine elements of J, and goes through all pairs of s functions on the
// right, each of them a contraction of some Gaussians. The integrals come from Boys functions and
// their recursion (McMurchie and Davidson 1978): over the Gaussians of a pair it sums up ten
// moments, and turns them into nine elements once per pair. The nine sums wait in registers
// meanwhile, and so does what is known of the left pair.
//
// The shape is that of quantum chemistry codes: 130 registers and more, no shared memory; blocks of
// 192 threads.
//
// Usage: eri [thread blocks] [pairs on the right]

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        const cudaError_t status_ = (call);                                                        \
        if (status_ != cudaSuccess) {                                                              \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_));       \
            exit(EXIT_FAILURE);                                                                    \
        }                                                                                          \
    } while (0)

// What a thread needs to know about its pair on the left, each an array over the pairs.
enum { EXPONENT, PX, PY, PZ, PAX, PAY, PAZ, PBX, PBY, PBZ, FACTOR, LEFT };

// What it reads of a Gaussian on the right.
enum { Q, QX, QY, QZ, WEIGHT, RIGHT };

// The Boys functions F0, F1 and F2 at x >= 0.
__device__ inline void boys(double x, double f[3])
{
    const double e = exp(-x);
    if (x < 0.5) {
        // The series of F2, then downwards, which is stable.
        double term = 1.0 / 5.0;
        f[2] = term;
#pragma unroll
        for (int i = 1; i <= 9; ++i) {
            term *= 2.0 * x / (2 * i + 5);
            f[2] += term;
        }
        f[2] *= e;
        f[1] = (2.0 * x * f[2] + e) / 3.0;
        f[0] = 2.0 * x * f[1] + e;
    } else {
        const double half = 0.5 / x;
        f[0] = 0.88622692545275801 * erf(sqrt(x)) * rsqrt(x);
        f[1] = (f[0] - e) * half;
        f[2] = (3.0 * f[1] - e) * half;
    }
}

// Adds up nine elements of J for each of pairs left pairs. The Gaussians of right pair s are those
// from first[s] up to first[s + 1], of gaussians altogether; pairs whose density is at most cutoff
// are left out.
__global__ void coulomb(const double *__restrict__ left, const double *__restrict__ right,
                        const int *__restrict__ first, const double *__restrict__ density,
                        double *__restrict__ out, int pairs, int rights, int gaussians,
                        double cutoff)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= pairs) {
        return;
    }
    const double p = left[EXPONENT * pairs + t];
    const double px = left[PX * pairs + t], py = left[PY * pairs + t], pz = left[PZ * pairs + t];
    const double pax = left[PAX * pairs + t], pay = left[PAY * pairs + t], paz = left[PAZ * pairs + t];
    const double pbx = left[PBX * pairs + t], pby = left[PBY * pairs + t], pbz = left[PBZ * pairs + t];
    const double factor = left[FACTOR * pairs + t];
    double xx = 0.0, xy = 0.0, xz = 0.0;
    double yx = 0.0, yy = 0.0, yz = 0.0;
    double zx = 0.0, zy = 0.0, zz = 0.0;

    for (int s = 0; s < rights; ++s) {
        const double d = factor * density[s];
        if (fabs(d) <= cutoff) {
            continue;
        }
        double m = 0.0, h = 0.0, mx = 0.0, my = 0.0, mz = 0.0;
        double qxx = 0.0, qyy = 0.0, qzz = 0.0, qxy = 0.0, qxz = 0.0, qyz = 0.0;
        for (int j = first[s]; j < first[s + 1]; ++j) {
            const double q = right[Q * gaussians + j];
            const double x = px - right[QX * gaussians + j];
            const double y = py - right[QY * gaussians + j];
            const double z = pz - right[QZ * gaussians + j];
            const double sum = p + q, ratio = q / sum;
            double f[3];
            boys(p * ratio * (x * x + y * y + z * z), f);
            const double w = right[WEIGHT * gaussians + j] * rsqrt(sum) / (p * q);
            const double m1 = -w * ratio * f[1], m2 = w * ratio * ratio * f[2];
            m += w * f[0];
            h += m1;
            mx += x * m1;
            my += y * m1;
            mz += z * m1;
            qxx += x * x * m2;
            qyy += y * y * m2;
            qzz += z * z * m2;
            qxy += x * y * m2;
            qxz += x * z * m2;
            qyz += y * z * m2;
        }
        const double g = 0.5 / p * (m + h);
        xx += d * (pax * pbx * m + (pax + pbx) * mx + qxx + g);
        yy += d * (pay * pby * m + (pay + pby) * my + qyy + g);
        zz += d * (paz * pbz * m + (paz + pbz) * mz + qzz + g);
        xy += d * (pax * pby * m + pax * my + pby * mx + qxy);
        yx += d * (pay * pbx * m + pay * mx + pbx * my + qxy);
        xz += d * (pax * pbz * m + pax * mz + pbz * mx + qxz);
        zx += d * (paz * pbx * m + paz * mx + pbx * mz + qxz);
        yz += d * (pay * pbz * m + pay * mz + pbz * my + qyz);
        zy += d * (paz * pby * m + paz * my + pby * mz + qyz);
    }

    out[t] = xx;
    out[pairs + t] = xy;
    out[2 * pairs + t] = xz;
    out[3 * pairs + t] = yx;
    out[4 * pairs + t] = yy;
    out[5 * pairs + t] = yz;
    out[6 * pairs + t] = zx;
    out[7 * pairs + t] = zy;
    out[8 * pairs + t] = zz;
}

// F of an order at x, by its series, which is exact enough for x up to 100.
static double boysSeries(int order, double x)
{
    double term = 1.0 / (2 * order + 1), sum = term;
    for (int i = 1; i < 400; ++i) {
        term *= 2 * x / (2 * order + 2 * i + 1);
        sum += term;
    }
    return exp(-x) * sum;
}

// A small linear congruential generator, so that every run sees the same input.
static unsigned int nextRandom(unsigned int *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

// A number in [low, high).
static double uniform(unsigned int *state, double low, double high)
{
    return low + (high - low) * (double)(nextRandom(state) & 0xffff) / (double)65536;
}

// Copies a vector to memory of the device that it allocates.
template <typename T>
static T *toDevice(const std::vector<T> &from)
{
    T *to;
    CHECK(cudaMalloc(&to, from.size() * sizeof(T)));
    CHECK(cudaMemcpy(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
    return to;
}

// Copies memory of the device to a vector, and frees it.
template <typename T>
static void fromDevice(std::vector<T> &to, T *from)
{
    CHECK(cudaMemcpy(to.data(), from, to.size() * sizeof(T), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(from));
}

// Argument number index as a count from 1 to max, or fallback where it is not given.
static int countArgument(int argc, char **argv, int index, int fallback, int max)
{
    if (index >= argc) {
        return fallback;
    }
    char *end = NULL;
    const long value = strtol(argv[index], &end, 10);
    if (argc > 3 || end == argv[index] || *end != '\0' || value < 1 || value > max) {
        fprintf(stderr, "usage: %s [thread blocks, 1..4096] [pairs on the right, 1..65536]\n", argv[0]);
        exit(EXIT_FAILURE);
    }
    return (int)value;
}

int main(int argc, char **argv)
{
    const int block = 192;
    const int blocks = countArgument(argc, argv, 1, 1, 4096);
    const int rights = countArgument(argc, argv, 2, 6, 65536);
    const int pairs = blocks * block - 7;
    const double cutoff = 1e-3;

    unsigned int seed = 1;
    std::vector<double> left((size_t)LEFT * pairs), density(rights), out(9 * (size_t)pairs);
    std::vector<int> first(rights + 1);
    for (int s = 0; s < rights; ++s) {
        first[s + 1] = first[s] + 1 + s % 4;
        density[s] = s % 5 == 3 ? 0.0 : uniform(&seed, -1, 1);
    }
    const int gaussians = first[rights];
    std::vector<double> right((size_t)RIGHT * gaussians);
    for (int t = 0; t < pairs; ++t) {
        const double a = uniform(&seed, 0.3, 2), b = uniform(&seed, 0.3, 2), p = a + b;
        double distance = 0;
        for (int i = 0; i < 3; ++i) {
            const double atA = uniform(&seed, -1, 1), atB = uniform(&seed, -1, 1);
            const double centre = (a * atA + b * atB) / p;
            left[(size_t)(PX + i) * pairs + t] = centre;
            left[(size_t)(PAX + i) * pairs + t] = centre - atA;
            left[(size_t)(PBX + i) * pairs + t] = centre - atB;
            distance += (atA - atB) * (atA - atB);
        }
        left[(size_t)EXPONENT * pairs + t] = p;
        left[(size_t)FACTOR * pairs + t] = exp(-a * b / p * distance);
    }
    for (int j = 0; j < gaussians; ++j) {
        right[(size_t)Q * gaussians + j] = uniform(&seed, 0.5, 4);
        for (int i = 0; i < 3; ++i) {
            right[(size_t)(QX + i) * gaussians + j] = uniform(&seed, -2, 2);
        }
        right[(size_t)WEIGHT * gaussians + j] = 34.98683665524972 * uniform(&seed, 0.2, 1);  // 2 pi^(5/2)
    }

    double *deviceLeft = toDevice(left), *deviceRight = toDevice(right);
    double *deviceDensity = toDevice(density), *deviceOut = toDevice(out);
    int *deviceFirst = toDevice(first);
    coulomb<<<blocks, 192>>>(deviceLeft, deviceRight, deviceFirst, deviceDensity, deviceOut, pairs,
                             rights, gaussians, cutoff);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    fromDevice(out, deviceOut);
    CHECK(cudaFree(deviceLeft));
    CHECK(cudaFree(deviceRight));
    CHECK(cudaFree(deviceDensity));
    CHECK(cudaFree(deviceFirst));

    // Element by element, from the expansion in Hermite Gaussians.
    size_t wrong = 0;
    for (int t = 0; t < pairs; t += 1 + pairs / 4096) {
        const double p = left[(size_t)EXPONENT * pairs + t], factor = left[(size_t)FACTOR * pairs + t];
        double expected[3][3] = {}, size[3][3] = {};
        for (int s = 0; s < rights; ++s) {
            if (fabs(factor * density[s]) <= cutoff) {
                continue;
            }
            for (int j = first[s]; j < first[s + 1]; ++j) {
                const double q = right[(size_t)Q * gaussians + j], alpha = p * q / (p + q);
                double r[3], x = 0;
                for (int i = 0; i < 3; ++i) {
                    r[i] = left[(size_t)(PX + i) * pairs + t] - right[(size_t)(QX + i) * gaussians + j];
                    x += alpha * r[i] * r[i];
                }
                const double w = factor * density[s] * right[(size_t)WEIGHT * gaussians + j] /
                                 (p * q * sqrt(p + q));
                const double f0 = boysSeries(0, x), f1 = boysSeries(1, x), f2 = boysSeries(2, x);
                for (int a = 0; a < 3; ++a) {
                    for (int b = 0; b < 3; ++b) {
                        const double pa = left[(size_t)(PAX + a) * pairs + t];
                        const double pb = left[(size_t)(PBX + b) * pairs + t];
                        const double same = a == b ? 1 : 0;
                        const double zeroth = (pa * pb + same / (2 * p)) * f0;
                        const double firsts = -2 * alpha * f1 * (pb * r[a] + pa * r[b]) / (2 * p);
                        const double second = (4 * alpha * alpha * r[a] * r[b] * f2 -
                                               2 * alpha * same * f1) / (4 * p * p);
                        expected[a][b] += w * (zeroth + firsts + second);
                        size[a][b] += fabs(w) * (fabs(zeroth) + fabs(firsts) + fabs(second));
                    }
                }
            }
        }
        for (int a = 0; a < 3; ++a) {
            for (int b = 0; b < 3; ++b) {
                const double got = out[(size_t)(3 * a + b) * pairs + t];
                wrong += !(fabs(got - expected[a][b]) <= 1e-11 * (1 + size[a][b]));
            }
        }
    }
    printf("eri: %d thread blocks, %zu wrong\n", blocks, wrong);
    printf("%s\n", wrong == 0 ? "PASS" : "FAIL");
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
