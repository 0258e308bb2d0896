// Skipping ahead in the two linear generators: n steps are the n-th power of one step's matrix. Threads often
// share a sequence and start far apart in it, where single steps would take longer than the kernel.
#pragma once
#include <stdint.h>

namespace smux_cpu {

// The powers are computed once and shared by all threads, in no thread's name: accesses aren't instrumented.
#define SMUX_CPU_UNWATCHED __attribute__((no_sanitize("thread")))

// ---- XORWOW: 160 bits, over the field of two elements. A matrix is kept as the images of the unit vectors.
struct xorwow_matrix {
    uint32_t image[160][5];
};

SMUX_CPU_UNWATCHED inline void xorwow_apply(const xorwow_matrix &m, const uint32_t *from, uint32_t *to) {
    uint32_t sum[5] = {0, 0, 0, 0, 0};
    for (int bit = 0; bit < 160; bit++)
        if (from[bit / 32] >> bit % 32 & 1)
            for (int word = 0; word < 5; word++) sum[word] ^= m.image[bit][word];
    for (int word = 0; word < 5; word++) to[word] = sum[word];
}

// Powers 2^0 ... 2^63 of one step.
struct xorwow_powers {
    xorwow_matrix power[64];

    SMUX_CPU_UNWATCHED xorwow_powers() {
        for (int bit = 0; bit < 160; bit++) {
            uint32_t v[5] = {0, 0, 0, 0, 0};
            v[bit / 32] = 1u << bit % 32;
            const uint32_t t = v[0] ^ v[0] >> 2, last = (v[4] ^ v[4] << 4) ^ (t ^ t << 1);
            for (int word = 0; word < 5; word++) power[0].image[bit][word] = word < 4 ? v[word + 1] : last;
        }
        for (int k = 1; k < 64; k++)
            for (int bit = 0; bit < 160; bit++) xorwow_apply(power[k - 1], power[k - 1].image[bit], power[k].image[bit]);
    }
};

SMUX_CPU_UNWATCHED inline void xorwow_jump(uint32_t *v, uint64_t steps) {
    static const xorwow_powers powers;
    for (int k = 0; steps >> k; k++) {
        if (steps >> k & 1) xorwow_apply(powers.power[k], v, v);
        if (k == 63) break;
    }
}

// ---- MRG32k3a: two vectors of three numbers, modulo a prime each
struct mrg_matrix {
    uint64_t entry[3][3];
};

SMUX_CPU_UNWATCHED inline mrg_matrix mrg_product(const mrg_matrix &a, const mrg_matrix &b, uint64_t modulus) {
    mrg_matrix c;
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 3; column++) {
            uint64_t sum = 0;
            for (int k = 0; k < 3; k++) sum = (sum + a.entry[row][k] * b.entry[k][column] % modulus) % modulus;
            c.entry[row][column] = sum;
        }
    return c;
}

// state, three consecutive numbers, after `steps` steps of the recurrence in `step`.
SMUX_CPU_UNWATCHED inline void mrg_jump(unsigned *state, mrg_matrix step, uint64_t modulus, uint64_t steps) {
    mrg_matrix power = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    for (; steps > 0; steps >>= 1, step = mrg_product(step, step, modulus))
        if (steps & 1) power = mrg_product(step, power, modulus);
    uint64_t result[3];
    for (int row = 0; row < 3; row++) {
        result[row] = 0;
        for (int k = 0; k < 3; k++) result[row] = (result[row] + power.entry[row][k] * state[k] % modulus) % modulus;
    }
    for (int row = 0; row < 3; row++) state[row] = (unsigned)result[row];
}

#undef SMUX_CPU_UNWATCHED

}  // namespace smux_cpu
