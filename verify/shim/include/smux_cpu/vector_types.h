// The vector types of CUDA: char1 ... double4 and dim3, with the sizes and alignments they have on
// the device, because programs copy them between host and device and index shared memory by them.
#pragma once

// How every pure function of the shim is declared: it vanishes into its caller, so that a memory
// access through one of its arguments is seen at the line of the user's code.
#define SMUX_CPU_INLINE inline __attribute__((always_inline))

// A function of the shim whose own accesses to memory, to what it was given by value, are nothing to be checked.
#define SMUX_CPU_OWN __attribute__((no_sanitize("thread", "undefined")))

// One family: `type` is the element, `name` the prefix. The vectors of two and four are aligned to
// their size, but never to more than 16 bytes; those of one and three are aligned as the element.
#define SMUX_CPU_VECTORS(type, name)                                                                   \
    struct name##1 {                                                                                   \
        type x;                                                                                        \
    };                                                                                                 \
    struct alignas(2 * sizeof(type)) name##2 {                                                         \
        type x, y;                                                                                     \
    };                                                                                                 \
    struct name##3 {                                                                                   \
        type x, y, z;                                                                                  \
    };                                                                                                 \
    struct alignas(4 * sizeof(type) < 16 ? 4 * sizeof(type) : 16) name##4 {                            \
        type x, y, z, w;                                                                               \
    };                                                                                                 \
    SMUX_CPU_INLINE name##1 make_##name##1(type x) { return {x}; }                                     \
    SMUX_CPU_INLINE name##2 make_##name##2(type x, type y) { return {x, y}; }                          \
    SMUX_CPU_INLINE name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; }               \
    SMUX_CPU_INLINE name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }

SMUX_CPU_VECTORS(signed char, char)
SMUX_CPU_VECTORS(unsigned char, uchar)
SMUX_CPU_VECTORS(short, short)
SMUX_CPU_VECTORS(unsigned short, ushort)
SMUX_CPU_VECTORS(int, int)
SMUX_CPU_VECTORS(unsigned int, uint)
SMUX_CPU_VECTORS(long, long)
SMUX_CPU_VECTORS(unsigned long, ulong)
SMUX_CPU_VECTORS(long long, longlong)
SMUX_CPU_VECTORS(unsigned long long, ulonglong)
SMUX_CPU_VECTORS(float, float)
SMUX_CPU_VECTORS(double, double)

#undef SMUX_CPU_VECTORS

// The extent of a grid or block. What is not given is 1.
struct dim3 {
    unsigned int x, y, z;
    constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1) : x(vx), y(vy), z(vz) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    constexpr operator uint3() const { return uint3{x, y, z}; }
};
