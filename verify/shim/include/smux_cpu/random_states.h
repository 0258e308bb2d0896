// The generator states of device code: each gives 32 random bits by curand(&state).
#pragma once
#include "smux_cpu/random.h"
#include "smux_cpu/random_jump.h"

// Sequences are independent by their seeding, not parts of one long sequence as in cuRAND.
struct curandStateXORWOW {
    unsigned d, v[5];
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};

struct curandStateMRG32k3a {
    unsigned s1[3], s2[3];
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};

// A counter, of which the upper half is the sequence, and the four words made of it.
struct curandStatePhilox4_32_10 {
    uint4 ctr, output;
    uint2 key;
    unsigned STATE;  // words of output that are used up
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};

typedef curandStateXORWOW curandStateXORWOW_t;
typedef curandStateXORWOW curandState_t;
typedef curandStateXORWOW curandState;
typedef curandStateMRG32k3a curandStateMRG32k3a_t;
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

namespace smux_cpu {
template <class State> SMUX_CPU_INLINE void forget_normals(State *state) {
    state->boxmuller_flag = state->boxmuller_flag_double = 0;
    state->boxmuller_extra = 0;
    state->boxmuller_extra_double = 0;
}
}  // namespace smux_cpu

// ---- XORWOW (Marsaglia 2003)
SMUX_CPU_INLINE unsigned curand(curandStateXORWOW *state) {
    unsigned *const v = state->v;
    const unsigned t = v[0] ^ v[0] >> 2;
    v[0] = v[1];
    v[1] = v[2];
    v[2] = v[3];
    v[3] = v[4];
    v[4] = (v[4] ^ v[4] << 4) ^ (t ^ t << 1);
    return v[4] + (state->d += 362437);
}
SMUX_CPU_INLINE void skipahead(unsigned long long n, curandStateXORWOW *state) {
    if (n < 256) {  // a jump costs about that many steps
        while (n-- > 0) curand(state);
        return;
    }
    uint32_t words[5];
    for (int i = 0; i < 5; i++) words[i] = state->v[i];
    smux_cpu::xorwow_jump(words, n);
    for (int i = 0; i < 5; i++) state->v[i] = words[i];
    state->d += 362437u * (unsigned)n;
}
SMUX_CPU_INLINE void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset, curandStateXORWOW *state) {
    uint64_t start = smux_cpu::sequence_start(seed, sequence);
    for (unsigned &word : state->v) word = (unsigned)smux_cpu::spread(start);
    state->v[0] |= 1;  // all zeros would stay so
    state->d = (unsigned)smux_cpu::spread(start);
    smux_cpu::forget_normals(state);
    skipahead(offset, state);
}

// ---- MRG32k3a (L'Ecuyer 1999)
SMUX_CPU_INLINE unsigned curand(curandStateMRG32k3a *state) {
    const int64_t m1 = 4294967087ll, m2 = 4294944443ll;
    int64_t p1 = (1403580ll * state->s1[1] - 810728ll * state->s1[0]) % m1;
    int64_t p2 = (527612ll * state->s2[2] - 1370589ll * state->s2[0]) % m2;
    if (p1 < 0) p1 += m1;
    if (p2 < 0) p2 += m2;
    state->s1[0] = state->s1[1];
    state->s1[1] = state->s1[2];
    state->s1[2] = (unsigned)p1;
    state->s2[0] = state->s2[1];
    state->s2[1] = state->s2[2];
    state->s2[2] = (unsigned)p2;
    return (unsigned)(p1 > p2 ? p1 - p2 : p1 - p2 + m1);
}
SMUX_CPU_INLINE void skipahead(unsigned long long n, curandStateMRG32k3a *state) {
    const uint64_t m1 = 4294967087ull, m2 = 4294944443ull;
    smux_cpu::mrg_jump(state->s1, {{{0, 1, 0}, {0, 0, 1}, {m1 - 810728, 1403580, 0}}}, m1, n);
    smux_cpu::mrg_jump(state->s2, {{{0, 1, 0}, {0, 0, 1}, {m2 - 1370589, 0, 527612}}}, m2, n);
}
SMUX_CPU_INLINE void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset, curandStateMRG32k3a *state) {
    uint64_t start = smux_cpu::sequence_start(seed, sequence);
    for (unsigned &word : state->s1) word = (unsigned)(smux_cpu::spread(start) % 4294967086u + 1);
    for (unsigned &word : state->s2) word = (unsigned)(smux_cpu::spread(start) % 4294944442u + 1);
    smux_cpu::forget_normals(state);
    skipahead(offset, state);
}

// ---- Philox
SMUX_CPU_INLINE void skipahead(unsigned long long n, curandStatePhilox4_32_10 *state) {
    const unsigned position = state->STATE + (unsigned)(n & 3);
    smux_cpu::advance(state->ctr, (n >> 2) + (position >> 2));
    state->STATE = position & 3;
    state->output = smux_cpu::philox(state->ctr, state->key);
}
SMUX_CPU_INLINE void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10 *state) {
    const uint64_t sequence = ((uint64_t)state->ctr.w << 32 | state->ctr.z) + n;
    state->ctr.z = (unsigned)sequence;
    state->ctr.w = (unsigned)(sequence >> 32);
    state->output = smux_cpu::philox(state->ctr, state->key);
}
SMUX_CPU_INLINE void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset, curandStatePhilox4_32_10 *state) {
    state->key = make_uint2((unsigned)seed, (unsigned)(seed >> 32));
    state->ctr = make_uint4(0, 0, (unsigned)sequence, (unsigned)(sequence >> 32));
    state->STATE = 0;
    smux_cpu::forget_normals(state);
    skipahead(offset, state);
}
SMUX_CPU_INLINE unsigned curand(curandStatePhilox4_32_10 *state) {
    const unsigned words[4] = {state->output.x, state->output.y, state->output.z, state->output.w};
    const unsigned word = words[state->STATE];
    if (++state->STATE == 4) {
        state->STATE = 0;
        smux_cpu::advance(state->ctr, 1);
        state->output = smux_cpu::philox(state->ctr, state->key);
    }
    return word;
}
SMUX_CPU_INLINE uint4 curand4(curandStatePhilox4_32_10 *state) {
    uint4 words;
    words.x = curand(state);
    words.y = curand(state);
    words.z = curand(state);
    words.w = curand(state);
    return words;
}
