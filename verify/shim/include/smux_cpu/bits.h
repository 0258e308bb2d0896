// Integer intrinsics: counting and moving bits, wide products, dot products of packed bytes. The packed
// (SIMD in a word) ones are in video.h.
#pragma once
#include <stdint.h>

#include "smux_cpu/vector_types.h"

// ---- counting
SMUX_CPU_INLINE int __popc(unsigned x) { return __builtin_popcount(x); }
SMUX_CPU_INLINE int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
SMUX_CPU_INLINE int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
SMUX_CPU_INLINE int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
// Position of the lowest set bit, from 1; 0 where there is none.
SMUX_CPU_INLINE int __ffs(int x) { return __builtin_ffs(x); }
SMUX_CPU_INLINE int __ffsll(long long x) { return __builtin_ffsll(x); }

// Position of the offset-th set bit of mask, counted upwards from bit `base` (that included) for a
// positive offset and downwards for a negative one; ~0 where there is none.
inline unsigned __fns(unsigned mask, unsigned base, int offset) {
    if (offset == 0) return base < 32 && (mask >> base & 1) ? base : ~0u;
    int step = offset > 0 ? 1 : -1, left = offset > 0 ? offset : -offset;
    for (int at = (int)base; at >= 0 && at < 32; at += step)
        if ((mask >> at & 1) && --left == 0) return (unsigned)at;
    return ~0u;
}

// ---- moving
// Reversal: neighbours are swapped, then pairs, and so on to halves.
SMUX_CPU_INLINE unsigned __brev(unsigned x) {
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(x);
}
SMUX_CPU_INLINE unsigned long long __brevll(unsigned long long x) {
    return (unsigned long long)__brev((unsigned)x) << 32 | __brev((unsigned)(x >> 32));
}

// Four bytes out of the eight of y:x. Bits 0-2 of each nibble of `selector` choose; bit 3 replicates the sign
// of the chosen byte over the result's byte, as PTX's prmt has it.
SMUX_CPU_INLINE unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
    uint64_t bytes = (uint64_t)y << 32 | x;
    unsigned result = 0;
    for (int i = 0; i < 4; i++) {
        unsigned nibble = selector >> 4 * i;
        unsigned byte = (unsigned)(bytes >> 8 * (nibble & 7)) & 0xff;
        if (nibble & 8) byte = byte & 0x80 ? 0xff : 0;
        result |= byte << 8 * i;
    }
    return result;
}

// The pair high:low shifted, of which the left shift keeps the upper word and the right one the lower. The
// amount wraps at 32, or with suffix c is at most 32.
SMUX_CPU_INLINE unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
    return (unsigned)((((uint64_t)high << 32 | low) << (shift & 31)) >> 32);
}
SMUX_CPU_INLINE unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
    return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}
SMUX_CPU_INLINE unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
    return (unsigned)(((uint64_t)high << 32 | low) >> (shift & 31));
}
SMUX_CPU_INLINE unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
    return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}

// ---- products
SMUX_CPU_INLINE int __mulhi(int x, int y) { return (int)((int64_t)x * y >> 32); }
SMUX_CPU_INLINE unsigned __umulhi(unsigned x, unsigned y) { return (unsigned)((uint64_t)x * y >> 32); }
SMUX_CPU_INLINE long long __mul64hi(long long x, long long y) { return (long long)((__int128)x * y >> 64); }
SMUX_CPU_INLINE unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
    return (unsigned long long)((unsigned __int128)x * y >> 64);
}
// The low 32 bits of the product of the low 24 bits.
SMUX_CPU_INLINE int __mul24(int x, int y) {
    return (int)((int64_t)((int)((unsigned)x << 8) >> 8) * ((int)((unsigned)y << 8) >> 8));
}
SMUX_CPU_INLINE unsigned __umul24(unsigned x, unsigned y) { return (x & 0xffffff) * (y & 0xffffff); }

// ---- means and differences, without overflow in between
SMUX_CPU_INLINE int __hadd(int x, int y) { return (int)(((int64_t)x + y) >> 1); }
SMUX_CPU_INLINE int __rhadd(int x, int y) { return (int)(((int64_t)x + y + 1) >> 1); }
SMUX_CPU_INLINE unsigned __uhadd(unsigned x, unsigned y) { return (unsigned)(((uint64_t)x + y) >> 1); }
SMUX_CPU_INLINE unsigned __urhadd(unsigned x, unsigned y) { return (unsigned)(((uint64_t)x + y + 1) >> 1); }
SMUX_CPU_INLINE unsigned __sad(int x, int y, unsigned z) {
    return z + (x > y ? (unsigned)x - (unsigned)y : (unsigned)y - (unsigned)x);
}
SMUX_CPU_INLINE unsigned __usad(unsigned x, unsigned y, unsigned z) { return z + (x > y ? x - y : y - x); }

// ---- dot products: c plus the products of the packed elements of a and b
namespace smux_cpu {
// Element `at` of a word of packed ones.
template <class Element, class Word> SMUX_CPU_INLINE int packed(Word word, int at) {
    return (int)(Element)((unsigned)word >> (8 * (int)sizeof(Element) * at));
}
template <class Byte, class Word> SMUX_CPU_INLINE Word dot4(Word a, Word b, Word c) {
    for (int i = 0; i < 4; i++) c += (Word)(packed<Byte>(a, i) * packed<Byte>(b, i));
    return c;
}
// Two halves of a with the bytes 2 * half and 2 * half + 1 of b.
template <class Half, class Byte, class Word> SMUX_CPU_INLINE Word dot2(Word a, Word b, Word c, int half) {
    for (int i = 0; i < 2; i++) c += (Word)(packed<Half>(a, i) * packed<Byte>(b, 2 * half + i));
    return c;
}
}  // namespace smux_cpu

SMUX_CPU_INLINE int __dp4a(int a, int b, int c) { return smux_cpu::dot4<int8_t>(a, b, c); }
SMUX_CPU_INLINE unsigned __dp4a(unsigned a, unsigned b, unsigned c) { return smux_cpu::dot4<uint8_t>(a, b, c); }
SMUX_CPU_INLINE int __dp2a_lo(int a, int b, int c) { return smux_cpu::dot2<int16_t, int8_t>(a, b, c, 0); }
SMUX_CPU_INLINE unsigned __dp2a_lo(unsigned a, unsigned b, unsigned c) { return smux_cpu::dot2<uint16_t, uint8_t>(a, b, c, 0); }
SMUX_CPU_INLINE int __dp2a_hi(int a, int b, int c) { return smux_cpu::dot2<int16_t, int8_t>(a, b, c, 1); }
SMUX_CPU_INLINE unsigned __dp2a_hi(unsigned a, unsigned b, unsigned c) { return smux_cpu::dot2<uint16_t, uint8_t>(a, b, c, 1); }

namespace smux_cpu {
SMUX_CPU_INLINE unsigned word(char4 v) {
    return (uint8_t)v.x | (unsigned)(uint8_t)v.y << 8 | (unsigned)(uint8_t)v.z << 16 | (unsigned)(uint8_t)v.w << 24;
}
SMUX_CPU_INLINE unsigned word(uchar4 v) { return v.x | (unsigned)v.y << 8 | (unsigned)v.z << 16 | (unsigned)v.w << 24; }
SMUX_CPU_INLINE unsigned word(short2 v) { return (uint16_t)v.x | (unsigned)(uint16_t)v.y << 16; }
SMUX_CPU_INLINE unsigned word(ushort2 v) { return v.x | (unsigned)v.y << 16; }
}  // namespace smux_cpu

SMUX_CPU_INLINE int __dp4a(char4 a, char4 b, int c) { return __dp4a((int)smux_cpu::word(a), (int)smux_cpu::word(b), c); }
SMUX_CPU_INLINE unsigned __dp4a(uchar4 a, uchar4 b, unsigned c) { return __dp4a(smux_cpu::word(a), smux_cpu::word(b), c); }
SMUX_CPU_INLINE int __dp2a_lo(short2 a, char4 b, int c) { return __dp2a_lo((int)smux_cpu::word(a), (int)smux_cpu::word(b), c); }
SMUX_CPU_INLINE unsigned __dp2a_lo(ushort2 a, uchar4 b, unsigned c) { return __dp2a_lo(smux_cpu::word(a), smux_cpu::word(b), c); }
SMUX_CPU_INLINE int __dp2a_hi(short2 a, char4 b, int c) { return __dp2a_hi((int)smux_cpu::word(a), (int)smux_cpu::word(b), c); }
SMUX_CPU_INLINE unsigned __dp2a_hi(ushort2 a, uchar4 b, unsigned c) { return __dp2a_hi(smux_cpu::word(a), smux_cpu::word(b), c); }

// ---- the names of old toolkits that nvcc still declares
SMUX_CPU_INLINE int mulhi(int x, int y) { return __mulhi(x, y); }
SMUX_CPU_INLINE unsigned mulhi(unsigned x, unsigned y) { return __umulhi(x, y); }
SMUX_CPU_INLINE unsigned mulhi(int x, unsigned y) { return __umulhi((unsigned)x, y); }
SMUX_CPU_INLINE unsigned mulhi(unsigned x, int y) { return __umulhi(x, (unsigned)y); }
SMUX_CPU_INLINE long long mul64hi(long long x, long long y) { return __mul64hi(x, y); }
SMUX_CPU_INLINE unsigned long long mul64hi(unsigned long long x, unsigned long long y) { return __umul64hi(x, y); }
SMUX_CPU_INLINE int mul24(int x, int y) { return __mul24(x, y); }
SMUX_CPU_INLINE unsigned umul24(unsigned x, unsigned y) { return __umul24(x, y); }

namespace smux_cpu {
// PTX's lop3: any function of three bits, given as its truth table.
SMUX_CPU_INLINE unsigned lop3(unsigned a, unsigned b, unsigned c, unsigned table) {
    unsigned result = 0;
    for (unsigned row = 0; row < 8; row++)
        if (table >> row & 1) result |= (row & 4 ? a : ~a) & (row & 2 ? b : ~b) & (row & 1 ? c : ~c);
    return result;
}
// PTX's bfe and bfi: a field of `length` bits from `start` on, taken out and put in. Both count modulo 256.
SMUX_CPU_INLINE unsigned extract_bits(unsigned x, unsigned start, unsigned length) {
    start &= 0xff, length &= 0xff;
    if (start >= 32 || length == 0) return 0;
    return length >= 32 ? x >> start : x >> start & ((1u << length) - 1);
}
SMUX_CPU_INLINE unsigned insert_bits(unsigned field, unsigned x, unsigned start, unsigned length) {
    start &= 0xff, length &= 0xff;
    if (start >= 32 || length == 0) return x;
    unsigned mask = (length >= 32 ? ~0u : (1u << length) - 1) << start;
    return (x & ~mask) | (field << start & mask);
}
}  // namespace smux_cpu
