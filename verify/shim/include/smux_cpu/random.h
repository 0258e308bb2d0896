// Random number generators and distributions, for curand.h (host) and curand_kernel.h (device).
//
// The generators are the published ones. Philox gives the numbers of cuRAND; XORWOW and MRG32k3a are seeded
// in a way of our own, so their numbers differ. All depend on seed, sequence and offset only.
#pragma once
#include <math.h>
#include <stdint.h>

#include "smux_cpu/vector_types.h"

namespace smux_cpu {

// ---- generators

// Ten rounds of Philox 4x32 (Salmon et al. 2011) on a counter and a key.
inline uint4 philox(uint4 counter, uint2 key) {
    for (int round = 0; round < 10; round++) {
        const uint64_t first = 0xd2511f53ull * counter.x, second = 0xcd9e8d57ull * counter.z;
        counter = make_uint4((uint32_t)(second >> 32) ^ counter.y ^ key.x, (uint32_t)second,
                             (uint32_t)(first >> 32) ^ counter.w ^ key.y, (uint32_t)first);
        key.x += 0x9e3779b9u;
        key.y += 0xbb67ae85u;
    }
    return counter;
}

// counter + n, as one number of 128 bits.
inline void advance(uint4 &counter, uint64_t n) {
    const uint64_t low = (uint64_t)counter.y << 32 | counter.x, sum = low + n;
    counter.x = (uint32_t)sum;
    counter.y = (uint32_t)(sum >> 32);
    if (sum < low && ++counter.z == 0) ++counter.w;
}

// SplitMix64 (Steele et al. 2014): spreads seeds that are close to each other over all states.
inline uint64_t spread(uint64_t &state) {
    uint64_t z = state += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

// A different start of spread() for each sequence of a seed.
inline uint64_t sequence_start(uint64_t seed, uint64_t sequence) {
    uint64_t state = seed;
    const uint64_t mixed = spread(state) ^ sequence;
    state = mixed;
    return spread(state);
}

// ---- distributions, of random words

// Uniform in (0, 1], as cuRAND has it: 0 excluded, 1 included.
inline float uniform(uint32_t word) { return (float)word * 2.3283064e-10f + 1.1641532e-10f; }
inline double uniform_double(uint32_t low, uint32_t high) {
    const uint64_t bits = ((uint64_t)high << 32 | low) >> 11;
    return ((double)bits + 1.0) * 0x1p-53;
}

// Two independent normal numbers from two uniform ones (Box and Muller 1958).
inline float2 normal_pair(float u, float v) {
    const float radius = sqrtf(-2.0f * logf(u)), angle = 6.2831853f * v;
    return make_float2(radius * sinf(angle), radius * cosf(angle));
}
inline double2 normal_pair_double(double u, double v) {
    const double radius = sqrt(-2.0 * log(u)), angle = 6.283185307179586 * v;
    return make_double2(radius * sin(angle), radius * cos(angle));
}

// A Poisson number: by counting arrivals where the mean is small, else the normal distribution with its
// mean and variance, rounded. next() gives a uniform double.
template <class Next> SMUX_CPU_INLINE uint32_t poisson(double mean, Next next) {
    if (!(mean > 0)) return 0;
    if (mean < 64) {
        const double end = exp(-mean);
        uint32_t count = 0;
        for (double product = next(); product > end; product *= next()) count++;
        return count;
    }
    const double u = next(), v = next();
    const double sample = mean + sqrt(mean) * normal_pair_double(u, v).x + 0.5;
    return sample < 0 ? 0 : (uint32_t)sample;
}

}  // namespace smux_cpu
