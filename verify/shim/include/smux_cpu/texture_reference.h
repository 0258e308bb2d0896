// Texture references: the `texture<float, 2> t;` of CUDA before 12, with its cudaBindTexture functions. A
// reference is a texture object in a variable; what is bound to it stands in the variable too.
#pragma once
#include <limits.h>

#include "smux_cpu/sampling.h"

#define cudaTextureType1D 0x01
#define cudaTextureType2D 0x02
#define cudaTextureType3D 0x03
#define cudaTextureTypeCubemap 0x0C
#define cudaTextureType1DLayered 0xF1
#define cudaTextureType2DLayered 0xF2
#define cudaTextureTypeCubemapLayered 0xFC

struct textureReference {
    int normalized;
    cudaTextureFilterMode filterMode;
    cudaTextureAddressMode addressMode[3];
    cudaChannelFormatDesc channelDesc;
    int sRGB;
    unsigned maxAnisotropy;
    cudaTextureFilterMode mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;

    // Ours: what is bound. Mutable, because programs bind through pointers to const.
    mutable smux_cpu::image smux_cpu_bound;
};

template <class T, int Type = cudaTextureType1D, cudaTextureReadMode Mode = cudaReadModeElementType> struct texture : textureReference {
    texture(int normalized_coordinates = 0, cudaTextureFilterMode filter = cudaFilterModePoint, cudaTextureAddressMode address = cudaAddressModeClamp)
        : texture(normalized_coordinates, filter, address, cudaCreateChannelDesc<T>()) {}
    texture(int normalized_coordinates, cudaTextureFilterMode filter, cudaTextureAddressMode address, cudaChannelFormatDesc format) : textureReference() {
        normalized = normalized_coordinates;
        filterMode = filter;
        addressMode[0] = addressMode[1] = addressMode[2] = address;
        channelDesc = format;
    }
};

namespace smux_cpu {

// The texture object that stands for a reference while it is read.
inline texture_object object_of(const textureReference &reference, cudaTextureReadMode mode) {
    cudaTextureDesc sampling = cudaTextureDesc();
    for (int axis = 0; axis < 3; axis++) sampling.addressMode[axis] = reference.addressMode[axis];
    sampling.filterMode = reference.filterMode;
    sampling.readMode = mode;
    sampling.normalizedCoords = reference.normalized;
    return {reference.smux_cpu_bound, sampling, cudaResourceDesc()};
}

// What a fetch gives: the element, or for normalised reading as many floats as it has channels.
template <class T, cudaTextureReadMode Mode, int Channels = channels_of<T>::number> struct fetch_result {
    typedef T type;
};
#define SMUX_CPU_NORMALIZED(count, vector) \
    template <class T> struct fetch_result<T, cudaReadModeNormalizedFloat, count> { typedef vector type; };
SMUX_CPU_NORMALIZED(1, float)
SMUX_CPU_NORMALIZED(2, float2)
SMUX_CPU_NORMALIZED(3, float3)
SMUX_CPU_NORMALIZED(4, float4)
#undef SMUX_CPU_NORMALIZED

inline cudaError_t bind_linear(size_t *offset, const textureReference *reference, const void *memory, const cudaChannelFormatDesc &format, size_t bytes) {
    void *base;
    size_t size;
    int kind;
    if (!reference || !memory || texel_bytes(format) == 0) return smux_cpu_error(cudaErrorInvalidValue);
    if (smux_cpu_find_allocation(memory, &base, &size, &kind)) {
        size_t left = (char *)base + size - (char *)memory;
        if (bytes > left) bytes = left;
    }
    if (offset) *offset = 0;
    reference->smux_cpu_bound = linear_image(const_cast<void *>(memory), bytes, format);
    return cudaSuccess;
}

inline cudaError_t bind_pitched(size_t *offset, const textureReference *reference, const void *memory, const cudaChannelFormatDesc &format, size_t width,
                                size_t height, size_t pitch) {
    if (!reference || !memory || texel_bytes(format) == 0) return smux_cpu_error(cudaErrorInvalidValue);
    if (offset) *offset = 0;
    reference->smux_cpu_bound = pitched_image(const_cast<void *>(memory), width, height, pitch, format);
    return cudaSuccess;
}

inline cudaError_t bind_array(const textureReference *reference, cudaArray_const_t array) {
    if (!reference || !array) return smux_cpu_error(cudaErrorInvalidValue);
    reference->smux_cpu_bound = image_of(array);
    return cudaSuccess;
}

}  // namespace smux_cpu

// ---- binding, by pointer to the untyped reference or by the typed variable
inline cudaError_t cudaBindTexture(size_t *offset, const textureReference *reference, const void *memory, const cudaChannelFormatDesc *format,
                                   size_t bytes = UINT_MAX) {
    return smux_cpu::bind_linear(offset, reference, memory, *format, bytes);
}
template <class T, int Type, cudaTextureReadMode Mode>
inline cudaError_t cudaBindTexture(size_t *offset, const texture<T, Type, Mode> &reference, const void *memory, const cudaChannelFormatDesc &format,
                                   size_t bytes = UINT_MAX) {
    return smux_cpu::bind_linear(offset, &reference, memory, format, bytes);
}
template <class T, int Type, cudaTextureReadMode Mode>
inline cudaError_t cudaBindTexture(size_t *offset, const texture<T, Type, Mode> &reference, const void *memory, size_t bytes = UINT_MAX) {
    return smux_cpu::bind_linear(offset, &reference, memory, reference.channelDesc, bytes);
}

inline cudaError_t cudaBindTexture2D(size_t *offset, const textureReference *reference, const void *memory, const cudaChannelFormatDesc *format,
                                     size_t width, size_t height, size_t pitch) {
    return smux_cpu::bind_pitched(offset, reference, memory, *format, width, height, pitch);
}
template <class T, int Type, cudaTextureReadMode Mode>
inline cudaError_t cudaBindTexture2D(size_t *offset, const texture<T, Type, Mode> &reference, const void *memory, const cudaChannelFormatDesc &format,
                                     size_t width, size_t height, size_t pitch) {
    return smux_cpu::bind_pitched(offset, &reference, memory, format, width, height, pitch);
}
template <class T, int Type, cudaTextureReadMode Mode>
inline cudaError_t cudaBindTexture2D(size_t *offset, const texture<T, Type, Mode> &reference, const void *memory, size_t width, size_t height,
                                     size_t pitch) {
    return smux_cpu::bind_pitched(offset, &reference, memory, reference.channelDesc, width, height, pitch);
}

inline cudaError_t cudaBindTextureToArray(const textureReference *reference, cudaArray_const_t array, const cudaChannelFormatDesc *) {
    return smux_cpu::bind_array(reference, array);
}
template <class T, int Type, cudaTextureReadMode Mode>
inline cudaError_t cudaBindTextureToArray(const texture<T, Type, Mode> &reference, cudaArray_const_t array, const cudaChannelFormatDesc &) {
    return smux_cpu::bind_array(&reference, array);
}
template <class T, int Type, cudaTextureReadMode Mode>
inline cudaError_t cudaBindTextureToArray(const texture<T, Type, Mode> &reference, cudaArray_const_t array) {
    return smux_cpu::bind_array(&reference, array);
}

inline cudaError_t cudaUnbindTexture(const textureReference *reference) {
    reference->smux_cpu_bound = smux_cpu::image();
    return cudaSuccess;
}
inline cudaError_t cudaUnbindTexture(const textureReference &reference) { return cudaUnbindTexture(&reference); }

inline cudaError_t cudaGetTextureAlignmentOffset(size_t *offset, const textureReference *) {
    *offset = 0;
    return cudaSuccess;
}
inline cudaError_t cudaGetTextureAlignmentOffset(size_t *offset, const textureReference &) {
    *offset = 0;
    return cudaSuccess;
}
// Symbols are the variables themselves.
inline cudaError_t cudaGetTextureReference(const textureReference **reference, const void *symbol) {
    *reference = (const textureReference *)symbol;
    return cudaSuccess;
}

// ---- fetching
#define SMUX_CPU_REFERENCE_FETCH(name, kind, parameters, sample)                                                                        \
    template <class T, cudaTextureReadMode Mode>                                                                                        \
    inline typename smux_cpu::fetch_result<T, Mode>::type name(const texture<T, kind, Mode> &reference, SMUX_CPU_LIST parameters) {     \
        typedef typename smux_cpu::fetch_result<T, Mode>::type result;                                                                  \
        const smux_cpu::texture_object object = smux_cpu::object_of(reference, Mode);                                                   \
        return sample;                                                                                                                  \
    }
#define SMUX_CPU_LIST(...) __VA_ARGS__

SMUX_CPU_REFERENCE_FETCH(tex1Dfetch, cudaTextureType1D, (int x), smux_cpu::fetched<result>(&object, x))
SMUX_CPU_REFERENCE_FETCH(tex1D, cudaTextureType1D, (float x), smux_cpu::sampled<result>(&object, 1, x, 0, 0, 0))
SMUX_CPU_REFERENCE_FETCH(tex2D, cudaTextureType2D, (float x, float y), smux_cpu::sampled<result>(&object, 2, x, y, 0, 0))
SMUX_CPU_REFERENCE_FETCH(tex3D, cudaTextureType3D, (float x, float y, float z), smux_cpu::sampled<result>(&object, 3, x, y, z, 0))
SMUX_CPU_REFERENCE_FETCH(tex1DLayered, cudaTextureType1DLayered, (float x, int layer), smux_cpu::sampled<result>(&object, 1, x, 0, 0, layer))
SMUX_CPU_REFERENCE_FETCH(tex2DLayered, cudaTextureType2DLayered, (float x, float y, int layer), smux_cpu::sampled<result>(&object, 2, x, y, 0, layer))
SMUX_CPU_REFERENCE_FETCH(tex1DLod, cudaTextureType1D, (float x, float), smux_cpu::sampled<result>(&object, 1, x, 0, 0, 0))
SMUX_CPU_REFERENCE_FETCH(tex2DLod, cudaTextureType2D, (float x, float y, float), smux_cpu::sampled<result>(&object, 2, x, y, 0, 0))
SMUX_CPU_REFERENCE_FETCH(tex3DLod, cudaTextureType3D, (float x, float y, float z, float), smux_cpu::sampled<result>(&object, 3, x, y, z, 0))

#undef SMUX_CPU_LIST
#undef SMUX_CPU_REFERENCE_FETCH
