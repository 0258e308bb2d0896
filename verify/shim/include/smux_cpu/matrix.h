// Matrices that a warp's lanes hold together: products (mma), and loads and stores of pieces of eight by eight (ldmatrix,
// stmatrix, movmatrix). Which lane holds what is one rule for all shapes and types, that of the PTX ISA's "Matrix Fragments
// for mma": each 32 bits of a lane, or each 64-bit element, lie in row lane / 4 of a piece of eight rows and four times as
// many elements; pieces follow each other by rows first. So lie A, B by its columns, and C and D with two elements for each lane.
//
// Products and sums are made in double, or in 64-bit integers, and rounded once. A GPU's own rounding is nowhere told.
// Modelled: Matrix instructions, `wmma`, `cp.async`, `mbarrier`, bulk copies | by the layouts of PTX; they order no memory | tensor maps, clusters, `wgmma`, sparse and 1-bit products
#pragma once
#include <stdint.h>
#include <string.h>

#include "smux_cpu/exchange.h"
#include "smux_cpu/reduced_float.h"

#define SMUX_CPU_INLINED __attribute__((always_inline))

namespace smux_cpu {
namespace matrix {

// Types of elements: how many bits, which number they stand for, and the way back.
template <int Bits> struct floating {
    static constexpr int bits = Bits;
    typedef double number;
    static constexpr bool is_integer = false;
};
template <int FractionBits> struct reduced : floating<16> {
    static double value(uint64_t raw) { return reduced_format<FractionBits>::value(unsigned(raw)); }
    static uint64_t raw(double x, bool) { return reduced_format<FractionBits>::rounded(x); }
};
struct f16 : reduced<10> {};
struct bf16 : reduced<7> {};
struct f32 : floating<32> {
    static double value(uint64_t raw) { return bits_as<float>(uint32_t(raw)); }
    static uint64_t raw(double x, bool) { return bits_as<uint32_t>(float(x)); }
};
struct tf32 : floating<32> {
    static double value(uint64_t raw) { return f32::value(raw & 0xffffe000u); }
};
struct f64 : floating<64> {
    static double value(uint64_t raw) { return bits_as<double>(raw); }
    static uint64_t raw(double x, bool) { return bits_as<uint64_t>(x); }
};
struct e5m2 : floating<8> {
    static double value(uint64_t raw) { return f16::value(raw << 8); }
};
struct e4m3 : floating<8> {  // without infinities
    static double value(uint64_t raw) { return (raw & 0x7f) == 0x7f ? double(NAN) : 256 * f16::value((raw & 0x80) << 8 | (raw & 0x7f) << 7); }
};
template <int Bits, bool Signed> struct integer {
    static constexpr int bits = Bits;
    typedef int64_t number;
    static constexpr bool is_integer = true;
    static int64_t value(uint64_t raw) { return Signed ? int64_t(raw << (64 - Bits)) >> (64 - Bits) : int64_t(raw); }
    static uint64_t raw(int64_t x, bool saturates) {
        return uint32_t(!saturates ? x : x > INT32_MAX ? int64_t(INT32_MAX) : x < INT32_MIN ? int64_t(INT32_MIN) : x);
    }
};
typedef integer<4, true> s4;
typedef integer<4, false> u4;
typedef integer<8, true> s8;
typedef integer<8, false> u8;
typedef integer<32, true> s32;

// To the nearest number of tf32, and of two away from zero.
SMUX_CPU_INLINE uint32_t to_tf32(uint32_t bits) { return (bits & 0x7f800000u) == 0x7f800000u ? bits : (bits + 0x1000) & 0xffffe000u; }

// Elements that a lane holds of one row of a piece, for factors.
template <class E> constexpr int elements_together = E::bits < 32 ? 32 / E::bits : 1;

struct place { int row, column; };
// Where element i of a lane lies.
SMUX_CPU_INLINE constexpr place place_of(int rows, int together, int lane, int i) {
    const int piece = i / together, down = rows / 8;
    return {lane / 4 + 8 * (piece % down), lane % 4 * together + i % together + 4 * together * (piece / down)};
}
// The other way round.
struct holder { int lane, i; };
SMUX_CPU_INLINE SMUX_CPU_OWN constexpr holder holder_of(int rows, int together, place p) {
    return {p.row % 8 * 4 + p.column / together % 4, (p.row / 8 + rows / 8 * (p.column / (4 * together))) * together + p.column % together};
}

template <class E> SMUX_CPU_OWN inline typename E::number get(const unsigned char *from, int i) {
    uint64_t raw = 0;
    if (E::bits < 8) raw = from[i * E::bits / 8] >> i * E::bits % 8 & ((1 << E::bits % 8) - 1);
    else memcpy(&raw, from + i * E::bits / 8, (E::bits + 7) / 8);
    return E::value(raw);
}

// What one lane brings: its parts of A and B.
template <int ABytes, int BBytes> struct factors { unsigned char a[ABytes], b[BBytes]; };
template <class F> __attribute__((noinline)) SMUX_CPU_OWN inline F factors_of(const void *a, const void *b) {
    F f;
    memcpy(f.a, a, sizeof f.a);
    memcpy(f.b, b, sizeof f.b);
    return f;
}

template <int M, int N, int K, class A, class B, class C, class D, class F>
__attribute__((noinline)) SMUX_CPU_OWN inline void sum(unsigned char *d, const exchanged<F> &all, const unsigned char *c, bool saturates) {
    typedef typename A::number number;
    // The rows of A, and columns of B, that this lane's elements of D need.
    number a[M / 8][K], b[N / 4][K];
    const int me = int(lane());
    const unsigned char *values = all.all.values;
    for (int k = 0; k < K; k++) {
        for (int r = 0; r < M / 8; r++) {
            const holder h = holder_of(M, elements_together<A>, {me / 4 + 8 * r, k});
            a[r][k] = get<A>(values + most_exchanged * h.lane, h.i);
        }
        for (int n = 0; n < N / 4; n++) {
            const holder h = holder_of(N, elements_together<B>, {me % 4 * 2 + n % 2 + n / 2 * 8, k});
            b[n][k] = get<B>(values + most_exchanged * h.lane + sizeof(F::a), h.i);
        }
    }
    for (int i = 0; i < M * N / 32; i++) {
        const place p = place_of(M, 2, me, i);
        const number *row = a[p.row / 8], *column = b[p.column / 8 * 2 + p.column % 2];
        number x = get<C>(c, i);
        for (int k = 0; k < K; k++) {
            if constexpr (A::bits == 64) x = fma(row[k], column[k], x);
            else x += row[k] * column[k];
        }
        const uint64_t raw = D::raw(x, saturates);
        memcpy(d + i * D::bits / 8, &raw, D::bits / 8);
    }
}

// D = A * B + C, each lane's own parts. d may be c.
template <int M, int N, int K, class A, class B, class C, class D>
SMUX_CPU_INLINE void multiply(void *d, const void *a, const void *b, const void *c, bool saturates = false) {
    typedef factors<M * K * A::bits / 256, N * K * B::bits / 256> F;
    const exchanged<F> all = exchange(~0u, warp_multiply, factors_of<F>(a, b));
    sum<M, N, K, A, B, C, D>(static_cast<unsigned char *>(d), all, static_cast<const unsigned char *>(c), saturates);
}

// ---- pieces of eight rows of eight 16-bit elements, row i of piece p at the address of lane 8 * p + i
typedef unsigned row __attribute__((vector_size(16), may_alias));
// For -fsanitize=alignment, which looks where a reference is made; no access.
SMUX_CPU_INLINE void is_aligned(const row &) {}
template <class T> __attribute__((noinline)) SMUX_CPU_OWN inline bool differ(const T &a, const T &b) { return memcmp(&a, &b, sizeof(T)) != 0; }
template <int Pieces> struct pieces { unsigned pairs[Pieces]; };

template <class T> SMUX_CPU_OWN inline unsigned short half_of(const exchanged<T> &all, int lane, int i) {
    unsigned short half;
    memcpy(&half, all.all.values + most_exchanged * lane + 2 * i, 2);
    return half;
}
// The two elements of this lane, element(row, column) being what a piece holds there.
template <bool Transposed, class F> SMUX_CPU_OWN inline unsigned own_pair(F &&element) {
    const int row = int(lane()) / 4, column = int(lane()) % 4 * 2;
    return Transposed ? element(column, row) | unsigned(element(column + 1, row)) << 16 : element(row, column) | unsigned(element(row, column + 1)) << 16;
}
template <int Pieces, bool Transposed> __attribute__((noinline)) SMUX_CPU_OWN inline void spread(unsigned *to, const exchanged<row> &all) {
    for (int p = 0; p < Pieces; p++)
        to[p] = own_pair<Transposed>([&](int row, int column) SMUX_CPU_OWN { return half_of(all, 8 * p + row, column); });
}
template <int Pieces, bool Transposed> SMUX_CPU_INLINE void load(unsigned *to, const void *from) {
    row mine = {};
    if (lane() < 8 * Pieces) mine = *static_cast<const row *>(from);
    spread<Pieces, Transposed>(to, exchange(~0u, warp_matrix_load, mine));
}
// An element of a piece that lanes hold.
template <class T> SMUX_CPU_OWN inline unsigned short held(const exchanged<T> &all, int piece, int row, int column) {
    return half_of(all, row * 4 + column / 2, 2 * piece + column % 2);
}
template <int Pieces, bool Transposed> __attribute__((noinline)) SMUX_CPU_OWN inline row gathered(const exchanged<pieces<Pieces>> &all) {
    const int piece = int(lane()) / 8, at = int(lane()) % 8;
    row r = {};
    for (int i = 0; i < 8; i++)
        r[i / 2] |= unsigned(Transposed ? held(all, piece, i, at) : held(all, piece, at, i)) << i % 2 * 16;
    return r;
}
template <int Pieces, bool Transposed> SMUX_CPU_INLINE void store(void *to, const unsigned *from) {
    pieces<Pieces> mine;
    memcpy(&mine, from, sizeof mine);
    const exchanged<pieces<Pieces>> all = exchange(~0u, warp_matrix_store, mine);
    if (lane() < 8 * Pieces) *static_cast<row *>(to) = gathered<Pieces, Transposed>(all);
}
SMUX_CPU_INLINE unsigned transposed(unsigned pair) {
    const exchanged<unsigned> all = exchange(~0u, warp_matrix_move, pair);
    return own_pair<true>([&](int row, int column) SMUX_CPU_OWN { return held(all, 0, row, column); });
}

}  // namespace matrix
}  // namespace smux_cpu
