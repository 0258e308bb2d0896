// cuRAND for device code: the generators XORWOW (curandState), Philox and MRG32k3a with their
// distributions. Left out: Sobol sequences, Mersenne twister, discrete distributions.
#pragma once
#include "smux_cpu/names_begin.h"
#define CURAND_KERNEL_H_

#include "smux_cpu/host.h"
#include "smux_cpu/random_states.h"

// The distributions are templates over the state, so that each works with all generators. All is inlined, so
// that two threads that share a state are found at the line of the program.
template <class State> SMUX_CPU_INLINE float curand_uniform(State *state) { return smux_cpu::uniform(curand(state)); }
template <class State> SMUX_CPU_INLINE double curand_uniform_double(State *state) {
    const unsigned low = curand(state), high = curand(state);
    return smux_cpu::uniform_double(low, high);
}

template <class State> SMUX_CPU_INLINE float2 curand_normal2(State *state) {
    const float u = curand_uniform(state), v = curand_uniform(state);
    return smux_cpu::normal_pair(u, v);
}
template <class State> SMUX_CPU_INLINE double2 curand_normal2_double(State *state) {
    const double u = curand_uniform_double(state), v = curand_uniform_double(state);
    return smux_cpu::normal_pair_double(u, v);
}
// Numbers come in pairs; the second one waits in the state for the next call.
template <class State> SMUX_CPU_INLINE float curand_normal(State *state) {
    if (state->boxmuller_flag) {
        state->boxmuller_flag = 0;
        return state->boxmuller_extra;
    }
    const float2 pair = curand_normal2(state);
    state->boxmuller_flag = 1;
    state->boxmuller_extra = pair.y;
    return pair.x;
}
template <class State> SMUX_CPU_INLINE double curand_normal_double(State *state) {
    if (state->boxmuller_flag_double) {
        state->boxmuller_flag_double = 0;
        return state->boxmuller_extra_double;
    }
    const double2 pair = curand_normal2_double(state);
    state->boxmuller_flag_double = 1;
    state->boxmuller_extra_double = pair.y;
    return pair.x;
}

template <class State> SMUX_CPU_INLINE float curand_log_normal(State *state, float mean, float deviation) {
    return expf(mean + deviation * curand_normal(state));
}
template <class State> SMUX_CPU_INLINE double curand_log_normal_double(State *state, double mean, double deviation) {
    return exp(mean + deviation * curand_normal_double(state));
}
template <class State> SMUX_CPU_INLINE float2 curand_log_normal2(State *state, float mean, float deviation) {
    const float2 pair = curand_normal2(state);
    return make_float2(expf(mean + deviation * pair.x), expf(mean + deviation * pair.y));
}
template <class State> SMUX_CPU_INLINE double2 curand_log_normal2_double(State *state, double mean, double deviation) {
    const double2 pair = curand_normal2_double(state);
    return make_double2(exp(mean + deviation * pair.x), exp(mean + deviation * pair.y));
}
template <class State> SMUX_CPU_INLINE unsigned curand_poisson(State *state, double mean) {
    return smux_cpu::poisson(mean, [state]() __attribute__((always_inline)) { return curand_uniform_double(state); });
}

// ---- four at a time
SMUX_CPU_INLINE float4 curand_uniform4(curandStatePhilox4_32_10_t *state) {
    const uint4 words = curand4(state);
    return make_float4(smux_cpu::uniform(words.x), smux_cpu::uniform(words.y), smux_cpu::uniform(words.z), smux_cpu::uniform(words.w));
}
SMUX_CPU_INLINE double4 curand_uniform4_double(curandStatePhilox4_32_10_t *state) {
    double4 numbers;
    numbers.x = curand_uniform_double(state);
    numbers.y = curand_uniform_double(state);
    numbers.z = curand_uniform_double(state);
    numbers.w = curand_uniform_double(state);
    return numbers;
}
SMUX_CPU_INLINE double2 curand_uniform2_double(curandStatePhilox4_32_10_t *state) {
    const uint4 words = curand4(state);
    return make_double2(smux_cpu::uniform_double(words.x, words.y), smux_cpu::uniform_double(words.z, words.w));
}
SMUX_CPU_INLINE float4 curand_normal4(curandStatePhilox4_32_10_t *state) {
    const float2 first = curand_normal2(state), second = curand_normal2(state);
    return make_float4(first.x, first.y, second.x, second.y);
}
SMUX_CPU_INLINE float4 curand_log_normal4(curandStatePhilox4_32_10_t *state, float mean, float deviation) {
    const float2 first = curand_log_normal2(state, mean, deviation), second = curand_log_normal2(state, mean, deviation);
    return make_float4(first.x, first.y, second.x, second.y);
}
SMUX_CPU_INLINE double4 curand_normal4_double(curandStatePhilox4_32_10_t *state) {
    const double2 first = curand_normal2_double(state), second = curand_normal2_double(state);
    return make_double4(first.x, first.y, second.x, second.y);
}
SMUX_CPU_INLINE uint4 curand_poisson4(curandStatePhilox4_32_10_t *state, double mean) {
    uint4 counts;
    counts.x = curand_poisson(state, mean);
    counts.y = curand_poisson(state, mean);
    counts.z = curand_poisson(state, mean);
    counts.w = curand_poisson(state, mean);
    return counts;
}
#include "smux_cpu/names_end.h"
