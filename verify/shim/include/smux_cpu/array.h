// CUDA arrays: the memory behind textures and surfaces, with its element format. Here an array is plain
// device memory, row after row without gaps; the block-wise layout of a device can't be observed.
#pragma once
#include "smux_cpu/copy.h"
#include "smux_cpu/copy3d.h"
#include "smux_cpu/memory.h"

enum cudaChannelFormatKind {
    cudaChannelFormatKindSigned = 0,
    cudaChannelFormatKindUnsigned = 1,
    cudaChannelFormatKindFloat = 2,
    cudaChannelFormatKindNone = 3
};

// Bits of each channel of a texel; 0 for channels that it lacks.
struct cudaChannelFormatDesc {
    int x, y, z, w;
    cudaChannelFormatKind f;
};

#define cudaArrayDefault 0x00
#define cudaArrayLayered 0x01
#define cudaArraySurfaceLoadStore 0x02
#define cudaArrayCubemap 0x04
#define cudaArrayTextureGather 0x08

struct cudaArray {
    cudaChannelFormatDesc format;
    cudaExtent extent;  // in texels; height and depth are 0 where there is no such dimension
    unsigned flags;
    char *texels;
};

namespace smux_cpu {

inline size_t texel_bytes(const cudaChannelFormatDesc &format) {
    return (size_t)(format.x + format.y + format.z + format.w) / 8;
}

inline size_t at_least_one(size_t n) { return n ? n : 1; }

// The element type of one channel, for the comparison of copies.
inline element channel_element(const cudaChannelFormatDesc &format) {
    if (format.f == cudaChannelFormatKindFloat) return format.x == 16 ? element::f16 : element::f32;
    bool is_signed = format.f == cudaChannelFormatKindSigned;
    switch (format.x) {
        case 8: return is_signed ? element::i8 : element::u8;
        case 16: return is_signed ? element::i16 : element::u16;
        case 32: return is_signed ? element::i32 : element::u32;
    }
    return element::bytes;
}

inline array_memory memory_of(cudaArray_const_t array) {
    size_t texel = texel_bytes(array->format), row = array->extent.width * texel;
    return {{array->texels, row, row * at_least_one(array->extent.height)}, texel, channel_element(array->format)};
}

// True where `height` rows of `width` bytes from the given place on lie inside the first slice.
inline bool rows_inside(cudaArray_const_t array, size_t x, size_t y, size_t width, size_t height) {
    size_t row = memory_of(array).where.pitch;
    return x + width <= row && y + height <= at_least_one(array->extent.height);
}

// The memory of an array from byte x of row y on.
inline layout rows_from(cudaArray_const_t array, size_t x, size_t y) {
    layout where = memory_of(array).where;
    where.base = (char *)where.base + y * where.pitch + x;
    return where;
}

// Bytes from there to the end of the array's first slice.
inline size_t bytes_from(cudaArray_const_t array, size_t x, size_t y) {
    layout where = memory_of(array).where;
    size_t offset = y * where.pitch + x;
    return offset < where.slice ? where.slice - offset : 0;
}

// A type's channels: its kind, how many and their bits.
template <class T> struct channels_of;
#define SMUX_CPU_CHANNELS(type, component, count, kind)                                    \
    template <> struct channels_of<type> {                                                 \
        static constexpr int bits = 8 * sizeof(component), number = count;                 \
        static constexpr cudaChannelFormatKind format = cudaChannelFormatKind##kind;       \
    };
#define SMUX_CPU_VECTOR_CHANNELS(name, component, kind) \
    SMUX_CPU_CHANNELS(component, component, 1, kind)    \
    SMUX_CPU_CHANNELS(name##1, component, 1, kind)      \
    SMUX_CPU_CHANNELS(name##2, component, 2, kind)      \
    SMUX_CPU_CHANNELS(name##3, component, 3, kind)      \
    SMUX_CPU_CHANNELS(name##4, component, 4, kind)
SMUX_CPU_CHANNELS(char, char, 1, Signed)
SMUX_CPU_VECTOR_CHANNELS(char, signed char, Signed)
SMUX_CPU_VECTOR_CHANNELS(uchar, unsigned char, Unsigned)
SMUX_CPU_VECTOR_CHANNELS(short, short, Signed)
SMUX_CPU_VECTOR_CHANNELS(ushort, unsigned short, Unsigned)
SMUX_CPU_VECTOR_CHANNELS(int, int, Signed)
SMUX_CPU_VECTOR_CHANNELS(uint, unsigned int, Unsigned)
SMUX_CPU_VECTOR_CHANNELS(float, float, Float)
#undef SMUX_CPU_VECTOR_CHANNELS
#undef SMUX_CPU_CHANNELS

}  // namespace smux_cpu

inline cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind f) { return {x, y, z, w, f}; }

template <class T> inline cudaChannelFormatDesc cudaCreateChannelDesc() {
    typedef smux_cpu::channels_of<T> channels;
    const int bits = channels::bits;
    return {bits, channels::number > 1 ? bits : 0, channels::number > 2 ? bits : 0, channels::number > 3 ? bits : 0, channels::format};
}

inline cudaChannelFormatDesc cudaCreateChannelDescHalf() { return {16, 0, 0, 0, cudaChannelFormatKindFloat}; }

inline cudaError_t cudaMalloc3DArray(cudaArray_t *array, const cudaChannelFormatDesc *format, cudaExtent extent, unsigned flags = 0) {
    using smux_cpu::at_least_one;
    size_t texel = format ? smux_cpu::texel_bytes(*format) : 0;
    if (!array || texel == 0 || extent.width == 0) return smux_cpu_error(cudaErrorInvalidValue);
    size_t bytes = texel * extent.width * at_least_one(extent.height) * at_least_one(extent.depth);
    void *texels = smux_cpu_allocate(bytes, 0);
    if (!texels) return smux_cpu_error(cudaErrorMemoryAllocation);
    *array = new cudaArray{*format, extent, flags, (char *)texels};
    return cudaSuccess;
}

inline cudaError_t cudaMallocArray(cudaArray_t *array, const cudaChannelFormatDesc *format, size_t width, size_t height = 0, unsigned flags = 0) {
    return cudaMalloc3DArray(array, format, cudaExtent{width, height, 0}, flags);
}

inline cudaError_t cudaFreeArray(cudaArray_t array) {
    if (!array) return cudaSuccess;
    smux_cpu_free(array->texels);
    delete array;
    return cudaSuccess;
}

// Each result may be null.
inline cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc *format, cudaExtent *extent, unsigned *flags, cudaArray_t array) {
    if (!array) return smux_cpu_error(cudaErrorInvalidResourceHandle);
    if (format) *format = array->format;
    if (extent) *extent = array->extent;
    if (flags) *flags = array->flags;
    return cudaSuccess;
}

inline cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc *format, cudaArray_const_t array) {
    if (!format || !array) return smux_cpu_error(cudaErrorInvalidValue);
    *format = array->format;
    return cudaSuccess;
}

#include "smux_cpu/array_copy.h"
