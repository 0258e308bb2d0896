// Surfaces: arrays that kernels read and write by index. x counts bytes, as CUDA has it; y, z and layer
// count texels.
#pragma once
#include "smux_cpu/texture_object.h"

enum cudaSurfaceBoundaryMode {
    cudaBoundaryModeZero = 0,
    cudaBoundaryModeClamp = 1,
    cudaBoundaryModeTrap = 2
};
enum cudaSurfaceFormatMode { cudaFormatModeForced = 0, cudaFormatModeAuto = 1 };

#define cudaSurfaceType1D 0x01
#define cudaSurfaceType2D 0x02
#define cudaSurfaceType3D 0x03
#define cudaSurfaceType1DLayered 0xF1
#define cudaSurfaceType2DLayered 0xF2

// Surface references, of CUDA before 12.
struct surfaceReference {
    cudaChannelFormatDesc channelDesc;
    mutable smux_cpu::texture_object smux_cpu_bound;
};
template <class T, int Type = cudaSurfaceType1D> struct surface : surfaceReference {
    surface() : surfaceReference() {}
    // So that the functions below take both kinds.
    operator cudaSurfaceObject_t() const { return (cudaSurfaceObject_t)&smux_cpu_bound; }
};

inline cudaError_t cudaBindSurfaceToArray(const surfaceReference *reference, cudaArray_const_t array, const cudaChannelFormatDesc * = nullptr) {
    if (!reference || !array) return smux_cpu_error(cudaErrorInvalidValue);
    reference->smux_cpu_bound.texels = smux_cpu::image_of(array);
    return cudaSuccess;
}
inline cudaError_t cudaBindSurfaceToArray(const surfaceReference &reference, cudaArray_const_t array) { return cudaBindSurfaceToArray(&reference, array); }
inline cudaError_t cudaBindSurfaceToArray(const surfaceReference &reference, cudaArray_const_t array, const cudaChannelFormatDesc &) {
    return cudaBindSurfaceToArray(&reference, array);
}

namespace smux_cpu {

// Where `bytes` at (x, y, z) lie; null where the mode says that there is nothing.
inline char *surface_place(cudaSurfaceObject_t object, long x, long y, long z, size_t bytes, cudaSurfaceBoundaryMode mode) {
    const image &texels = ((const texture_object *)object)->texels;
    const long last_x = (long)(texels.width * texel_bytes(texels.format) - bytes), last_y = (long)texels.height - 1, last_z = (long)texels.depth - 1;
    if (x < 0 || x > last_x || y < 0 || y > last_y || z < 0 || z > last_z) {
        if (mode == cudaBoundaryModeTrap) smux_cpu_trap("surface access out of bounds");
        if (mode == cudaBoundaryModeZero) return nullptr;
        x = x < 0 ? 0 : x > last_x ? last_x : x;
        y = y < 0 ? 0 : y > last_y ? last_y : y;
        z = z < 0 ? 0 : z > last_z ? last_z : z;
    }
    return (char *)texels.where.base + z * texels.where.slice + y * texels.where.pitch + x;
}

template <class T> SMUX_CPU_INLINE T surface_read(cudaSurfaceObject_t object, long x, long y, long z, cudaSurfaceBoundaryMode mode) {
    T result = T();
    if (const char *place = surface_place(object, x, y, z, sizeof(T), mode)) __builtin_memcpy(&result, place, sizeof result);
    return result;
}

template <class T> SMUX_CPU_INLINE void surface_write(const T &value, cudaSurfaceObject_t object, long x, long y, long z, cudaSurfaceBoundaryMode mode) {
    if (char *place = surface_place(object, x, y, z, sizeof(T), mode)) __builtin_memcpy(place, &value, sizeof value);
}

}  // namespace smux_cpu

// Reading in both forms, and writing. `place` is x, y, z.
#define SMUX_CPU_SURFACE(name, parameters, place)                                                                                                                \
    template <class T> SMUX_CPU_INLINE T name##read(cudaSurfaceObject_t object, SMUX_CPU_LIST parameters, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) { \
        return smux_cpu::surface_read<T>(object, SMUX_CPU_LIST place, mode);                                                                                     \
    }                                                                                                                                                            \
    template <class T>                                                                                                                                           \
    SMUX_CPU_INLINE void name##read(T *result, cudaSurfaceObject_t object, SMUX_CPU_LIST parameters, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {      \
        *result = smux_cpu::surface_read<T>(object, SMUX_CPU_LIST place, mode);                                                                                  \
    }                                                                                                                                                            \
    template <class T>                                                                                                                                           \
    SMUX_CPU_INLINE void name##write(T value, cudaSurfaceObject_t object, SMUX_CPU_LIST parameters, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {       \
        smux_cpu::surface_write(value, object, SMUX_CPU_LIST place, mode);                                                                                       \
    }
#define SMUX_CPU_LIST(...) __VA_ARGS__

SMUX_CPU_SURFACE(surf1D, (int x), (x, 0, 0))
SMUX_CPU_SURFACE(surf2D, (int x, int y), (x, y, 0))
SMUX_CPU_SURFACE(surf3D, (int x, int y, int z), (x, y, z))
SMUX_CPU_SURFACE(surf1DLayered, (int x, int layer), (x, 0, layer))
SMUX_CPU_SURFACE(surf2DLayered, (int x, int y, int layer), (x, y, layer))

#undef SMUX_CPU_LIST
#undef SMUX_CPU_SURFACE
