// cuRAND for host code. All pseudo-random types are the Philox generator here: right distributions, the same
// numbers in every run, but not those of the generator asked for. Quasi-random ones have one dimension only.
#pragma once
#include "smux_cpu/names_begin.h"
#define CURAND_H_
#define CURAND_VERSION 10300

#include "library_types.h"
#include "smux_cpu/host.h"
#include "smux_cpu/random.h"

enum curandStatus {
    CURAND_STATUS_SUCCESS = 0,
    CURAND_STATUS_VERSION_MISMATCH = 100,
    CURAND_STATUS_NOT_INITIALIZED = 101,
    CURAND_STATUS_ALLOCATION_FAILED = 102,
    CURAND_STATUS_TYPE_ERROR = 103,
    CURAND_STATUS_OUT_OF_RANGE = 104,
    CURAND_STATUS_LENGTH_NOT_MULTIPLE = 105,
    CURAND_STATUS_DOUBLE_PRECISION_REQUIRED = 106,
    CURAND_STATUS_LAUNCH_FAILURE = 201,
    CURAND_STATUS_PREEXISTING_FAILURE = 202,
    CURAND_STATUS_INITIALIZATION_FAILED = 203,
    CURAND_STATUS_ARCH_MISMATCH = 204,
    CURAND_STATUS_INTERNAL_ERROR = 999
};
typedef enum curandStatus curandStatus_t;

enum curandRngType {
    CURAND_RNG_TEST = 0,
    CURAND_RNG_PSEUDO_DEFAULT = 100,
    CURAND_RNG_PSEUDO_XORWOW = 101,
    CURAND_RNG_PSEUDO_MRG32K3A = 121,
    CURAND_RNG_PSEUDO_MTGP32 = 141,
    CURAND_RNG_PSEUDO_MT19937 = 142,
    CURAND_RNG_PSEUDO_PHILOX4_32_10 = 161,
    CURAND_RNG_QUASI_DEFAULT = 200,
    CURAND_RNG_QUASI_SOBOL32 = 201,
    CURAND_RNG_QUASI_SCRAMBLED_SOBOL32 = 202,
    CURAND_RNG_QUASI_SOBOL64 = 203,
    CURAND_RNG_QUASI_SCRAMBLED_SOBOL64 = 204
};
typedef enum curandRngType curandRngType_t;

enum curandOrdering {
    CURAND_ORDERING_PSEUDO_BEST = 100,
    CURAND_ORDERING_PSEUDO_DEFAULT = 101,
    CURAND_ORDERING_PSEUDO_SEEDED = 102,
    CURAND_ORDERING_PSEUDO_LEGACY = 103,
    CURAND_ORDERING_PSEUDO_DYNAMIC = 104,
    CURAND_ORDERING_QUASI_DEFAULT = 201
};
typedef enum curandOrdering curandOrdering_t;

struct curandGenerator_st {
    curandRngType type;
    unsigned long long seed, drawn;  // words drawn so far
};
typedef struct curandGenerator_st *curandGenerator_t;

namespace smux_cpu {

inline bool quasi_random(curandGenerator_t generator) { return generator->type >= CURAND_RNG_QUASI_DEFAULT; }

inline uint32_t next_word(curandGenerator_t generator) {
    const uint64_t index = generator->drawn++;
    if (quasi_random(generator)) {  // the first Sobol dimension: the bits of the Gray code, reversed
        uint32_t gray = (uint32_t)(index ^ index >> 1), reversed = 0;
        for (int bit = 0; bit < 32; bit++) reversed |= (gray >> bit & 1) << (31 - bit);
        return reversed;
    }
    const uint4 counter = make_uint4((uint32_t)(index >> 2), (uint32_t)(index >> 34), 0, 0);
    const uint4 words = philox(counter, make_uint2((uint32_t)generator->seed, (uint32_t)(generator->seed >> 32)));
    const uint32_t in_order[4] = {words.x, words.y, words.z, words.w};
    return in_order[index & 3];
}
inline float next_uniform(curandGenerator_t generator) { return uniform(next_word(generator)); }
inline double next_uniform_double(curandGenerator_t generator) {
    const uint32_t low = quasi_random(generator) ? 0 : next_word(generator);
    return uniform_double(low, next_word(generator));
}

// Stores next() to each element. Not instrumented: this is the library at work on device memory, not the
// program's host code.
template <class T, class Next> __attribute__((no_sanitize("thread"))) curandStatus_t generate(curandGenerator_t generator, T *out, size_t n, Next next) {
    if (!generator) return CURAND_STATUS_NOT_INITIALIZED;
    for (size_t i = 0; i < n; i++) out[i] = next();
    return CURAND_STATUS_SUCCESS;
}
// The same with next() giving pairs; cuRAND asks for an even number of elements.
template <class T, class Next> __attribute__((no_sanitize("thread"))) curandStatus_t generate_pairs(curandGenerator_t generator, T *out, size_t n, Next next) {
    if (!generator) return CURAND_STATUS_NOT_INITIALIZED;
    if (n % 2 != 0) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
    for (size_t i = 0; i < n; i += 2) {
        const auto pair = next();
        out[i] = pair.x;
        out[i + 1] = pair.y;
    }
    return CURAND_STATUS_SUCCESS;
}

inline float2 next_normals(curandGenerator_t generator, float mean, float deviation) {
    const float u = next_uniform(generator), v = next_uniform(generator);
    const float2 pair = normal_pair(u, v);
    return make_float2(mean + deviation * pair.x, mean + deviation * pair.y);
}
inline double2 next_normals_double(curandGenerator_t generator, double mean, double deviation) {
    const double u = next_uniform_double(generator), v = next_uniform_double(generator);
    const double2 pair = normal_pair_double(u, v);
    return make_double2(mean + deviation * pair.x, mean + deviation * pair.y);
}

}  // namespace smux_cpu

// ---- the generator
inline curandStatus_t curandCreateGenerator(curandGenerator_t *generator, curandRngType_t type) {
    *generator = new curandGenerator_st{type, 0, 0};
    return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandCreateGeneratorHost(curandGenerator_t *generator, curandRngType_t type) { return curandCreateGenerator(generator, type); }
inline curandStatus_t curandDestroyGenerator(curandGenerator_t generator) {
    if (!generator) return CURAND_STATUS_NOT_INITIALIZED;
    delete generator;
    return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandGetVersion(int *version) {
    *version = CURAND_VERSION;
    return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandGetProperty(libraryPropertyType type, int *value) {
    *value = type == MAJOR_VERSION ? 10 : type == MINOR_VERSION ? 3 : 0;
    return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandSetStream(curandGenerator_t, cudaStream_t) { return CURAND_STATUS_SUCCESS; }
inline curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator, unsigned long long seed) {
    if (!generator) return CURAND_STATUS_NOT_INITIALIZED;
    if (smux_cpu::quasi_random(generator)) return CURAND_STATUS_TYPE_ERROR;
    generator->seed = seed;
    generator->drawn = 0;
    return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset) {
    if (!generator) return CURAND_STATUS_NOT_INITIALIZED;
    generator->drawn = offset;
    return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandSetGeneratorOrdering(curandGenerator_t, curandOrdering_t) { return CURAND_STATUS_SUCCESS; }
inline curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t generator, unsigned dimensions) {
    if (!generator) return CURAND_STATUS_NOT_INITIALIZED;
    if (!smux_cpu::quasi_random(generator)) return CURAND_STATUS_TYPE_ERROR;
    if (dimensions > 1) smux_cpu_not_supported("quasi-random generators of several dimensions");
    return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandGenerateSeeds(curandGenerator_t generator) { return generator ? CURAND_STATUS_SUCCESS : CURAND_STATUS_NOT_INITIALIZED; }

// ---- numbers
inline curandStatus_t curandGenerate(curandGenerator_t generator, unsigned *out, size_t n) {
    return smux_cpu::generate(generator, out, n, [=] { return smux_cpu::next_word(generator); });
}
inline curandStatus_t curandGenerateLongLong(curandGenerator_t generator, unsigned long long *out, size_t n) {
    return smux_cpu::generate(generator, out, n, [=] {
        const unsigned long long low = smux_cpu::next_word(generator), high = smux_cpu::next_word(generator);
        return high << 32 | low;
    });
}
inline curandStatus_t curandGenerateUniform(curandGenerator_t generator, float *out, size_t n) {
    return smux_cpu::generate(generator, out, n, [=] { return smux_cpu::next_uniform(generator); });
}
inline curandStatus_t curandGenerateUniformDouble(curandGenerator_t generator, double *out, size_t n) {
    return smux_cpu::generate(generator, out, n, [=] { return smux_cpu::next_uniform_double(generator); });
}
inline curandStatus_t curandGenerateNormal(curandGenerator_t generator, float *out, size_t n, float mean, float deviation) {
    return smux_cpu::generate_pairs(generator, out, n, [=] { return smux_cpu::next_normals(generator, mean, deviation); });
}
inline curandStatus_t curandGenerateNormalDouble(curandGenerator_t generator, double *out, size_t n, double mean, double deviation) {
    return smux_cpu::generate_pairs(generator, out, n, [=] { return smux_cpu::next_normals_double(generator, mean, deviation); });
}
inline curandStatus_t curandGenerateLogNormal(curandGenerator_t generator, float *out, size_t n, float mean, float deviation) {
    return smux_cpu::generate_pairs(generator, out, n, [=] {
        const float2 pair = smux_cpu::next_normals(generator, mean, deviation);
        return make_float2(expf(pair.x), expf(pair.y));
    });
}
inline curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t generator, double *out, size_t n, double mean, double deviation) {
    return smux_cpu::generate_pairs(generator, out, n, [=] {
        const double2 pair = smux_cpu::next_normals_double(generator, mean, deviation);
        return make_double2(exp(pair.x), exp(pair.y));
    });
}
inline curandStatus_t curandGeneratePoisson(curandGenerator_t generator, unsigned *out, size_t n, double mean) {
    return smux_cpu::generate(generator, out, n, [=] { return smux_cpu::poisson(mean, [=] { return smux_cpu::next_uniform_double(generator); }); });
}
#include "smux_cpu/names_end.h"
