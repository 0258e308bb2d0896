// The fetch functions for texture objects. Each exists twice: returning the sample, and storing it through
// a pointer. There is one level of resolution, so level and gradients are ignored.
#pragma once
#include "smux_cpu/sampling.h"

namespace smux_cpu {
inline const texture_object *texture_of(cudaTextureObject_t object) { return (const texture_object *)object; }
}  // namespace smux_cpu

// name, parameters after the object, their names, the sample.
#define SMUX_CPU_FETCH(name, parameters, arguments, sample)                                                              \
    template <class T> inline T name(cudaTextureObject_t object, SMUX_CPU_LIST parameters) {                             \
        const smux_cpu::texture_object *const texture = smux_cpu::texture_of(object);                                    \
        return sample;                                                                                                   \
    }                                                                                                                    \
    template <class T> inline void name(T *result, cudaTextureObject_t object, SMUX_CPU_LIST parameters) {               \
        *result = name<T>(object, SMUX_CPU_LIST arguments);                                                              \
    }
#define SMUX_CPU_LIST(...) __VA_ARGS__

SMUX_CPU_FETCH(tex1Dfetch, (int x), (x), smux_cpu::fetched<T>(texture, x))
SMUX_CPU_FETCH(tex1D, (float x), (x), smux_cpu::sampled<T>(texture, 1, x, 0, 0, 0))
SMUX_CPU_FETCH(tex2D, (float x, float y), (x, y), smux_cpu::sampled<T>(texture, 2, x, y, 0, 0))
SMUX_CPU_FETCH(tex3D, (float x, float y, float z), (x, y, z), smux_cpu::sampled<T>(texture, 3, x, y, z, 0))
SMUX_CPU_FETCH(tex1DLayered, (float x, int layer), (x, layer), smux_cpu::sampled<T>(texture, 1, x, 0, 0, layer))
SMUX_CPU_FETCH(tex2DLayered, (float x, float y, int layer), (x, y, layer), smux_cpu::sampled<T>(texture, 2, x, y, 0, layer))
SMUX_CPU_FETCH(tex1DLod, (float x, float level), (x, level), smux_cpu::sampled<T>(texture, 1, x, 0, 0, 0))
SMUX_CPU_FETCH(tex2DLod, (float x, float y, float level), (x, y, level), smux_cpu::sampled<T>(texture, 2, x, y, 0, 0))
SMUX_CPU_FETCH(tex3DLod, (float x, float y, float z, float level), (x, y, z, level), smux_cpu::sampled<T>(texture, 3, x, y, z, 0))
SMUX_CPU_FETCH(tex1DGrad, (float x, float dx, float dy), (x, dx, dy), smux_cpu::sampled<T>(texture, 1, x, 0, 0, 0))
SMUX_CPU_FETCH(tex2DGrad, (float x, float y, float2 dx, float2 dy), (x, y, dx, dy), smux_cpu::sampled<T>(texture, 2, x, y, 0, 0))
SMUX_CPU_FETCH(tex3DGrad, (float x, float y, float z, float4 dx, float4 dy), (x, y, z, dx, dy), smux_cpu::sampled<T>(texture, 3, x, y, z, 0))

#undef SMUX_CPU_LIST
#undef SMUX_CPU_FETCH

template <class T> inline T tex2Dgather(cudaTextureObject_t object, float x, float y, int channel = 0) {
    return smux_cpu::gathered<T>(smux_cpu::texture_of(object), x, y, channel);
}
template <class T> inline void tex2Dgather(T *result, cudaTextureObject_t object, float x, float y, int channel = 0) {
    *result = tex2Dgather<T>(object, x, y, channel);
}

template <class T, class... A> inline T texCubemap(cudaTextureObject_t, A...) { smux_cpu_not_supported("texCubemap"); }
template <class T, class... A> inline T texCubemapLayered(cudaTextureObject_t, A...) { smux_cpu_not_supported("texCubemapLayered"); }
