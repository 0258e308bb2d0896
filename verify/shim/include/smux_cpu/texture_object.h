// Texture and surface objects, as host code makes them: a resource (an array, linear or pitched memory) and
// how it is sampled. The handle is the address of what the fetch functions need.
#pragma once
#include "smux_cpu/array.h"

enum cudaResourceType {
    cudaResourceTypeArray = 0,
    cudaResourceTypeMipmappedArray = 1,
    cudaResourceTypeLinear = 2,
    cudaResourceTypePitch2D = 3
};

struct cudaResourceDesc {
    cudaResourceType resType;
    union {
        struct {
            cudaArray_t array;
        } array;
        struct {
            cudaMipmappedArray_t mipmap;
        } mipmap;
        struct {
            void *devPtr;
            cudaChannelFormatDesc desc;
            size_t sizeInBytes;
        } linear;
        struct {
            void *devPtr;
            cudaChannelFormatDesc desc;
            size_t width, height;  // in texels
            size_t pitchInBytes;
        } pitch2D;
    } res;
};

enum cudaTextureAddressMode {
    cudaAddressModeWrap = 0,
    cudaAddressModeClamp = 1,
    cudaAddressModeMirror = 2,
    cudaAddressModeBorder = 3
};
enum cudaTextureFilterMode { cudaFilterModePoint = 0, cudaFilterModeLinear = 1 };
enum cudaTextureReadMode { cudaReadModeElementType = 0, cudaReadModeNormalizedFloat = 1 };

struct cudaTextureDesc {
    cudaTextureAddressMode addressMode[3];
    cudaTextureFilterMode filterMode;
    cudaTextureReadMode readMode;
    int sRGB;  // not supported: read as linear
    float borderColor[4];
    int normalizedCoords;
    unsigned maxAnisotropy;
    cudaTextureFilterMode mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
    int disableTrilinearOptimization, seamlessCubemap;
};

// A second view of an array's texels, with another format. Accepted and ignored.
struct cudaResourceViewDesc {
    int format;
    size_t width, height, depth;
    unsigned firstMipmapLevel, lastMipmapLevel, firstLayer, lastLayer;
};

typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;

namespace smux_cpu {

// Texels in memory.
struct image {
    layout where;
    size_t width, height, depth;  // in texels, each at least 1
    cudaChannelFormatDesc format;
};

struct texture_object {
    image texels;
    cudaTextureDesc sampling;
    cudaResourceDesc resource;
};

inline image image_of(cudaArray_const_t array) {
    const cudaExtent &extent = array->extent;
    return {memory_of(array).where, extent.width, at_least_one(extent.height), at_least_one(extent.depth), array->format};
}

inline image linear_image(void *base, size_t bytes, const cudaChannelFormatDesc &format) {
    size_t texel = texel_bytes(format);
    return {{base, bytes, bytes}, texel ? bytes / texel : 0, 1, 1, format};
}

inline image pitched_image(void *base, size_t width, size_t height, size_t pitch, const cudaChannelFormatDesc &format) {
    return {{base, pitch, pitch * height}, width, height, 1, format};
}

// The texels of a resource. False for kinds that have none here.
inline bool resource_image(const cudaResourceDesc &resource, image *texels) {
    switch (resource.resType) {
        case cudaResourceTypeArray:
            if (!resource.res.array.array) return false;
            *texels = image_of(resource.res.array.array);
            return true;
        case cudaResourceTypeLinear: {
            const auto &linear = resource.res.linear;
            *texels = linear_image(linear.devPtr, linear.sizeInBytes, linear.desc);
            return linear.devPtr != nullptr;
        }
        case cudaResourceTypePitch2D: {
            const auto &pitched = resource.res.pitch2D;
            *texels = pitched_image(pitched.devPtr, pitched.width, pitched.height, pitched.pitchInBytes, pitched.desc);
            return pitched.devPtr != nullptr;
        }
        case cudaResourceTypeMipmappedArray: smux_cpu_not_supported("mipmapped textures");
    }
    return false;
}

}  // namespace smux_cpu

inline cudaError_t cudaCreateTextureObject(cudaTextureObject_t *object, const cudaResourceDesc *resource, const cudaTextureDesc *sampling,
                                           const cudaResourceViewDesc *view = nullptr) {
    if (view && view->format) smux_cpu_not_modelled("a texture's view of another format: texels are as in the array");
    smux_cpu::image texels;
    if (!object || !resource || !sampling || !smux_cpu::resource_image(*resource, &texels)) return smux_cpu_error(cudaErrorInvalidValue);
    bool integer = texels.format.f != cudaChannelFormatKindFloat;
    if (integer && sampling->filterMode == cudaFilterModeLinear && sampling->readMode == cudaReadModeElementType)
        return smux_cpu_error(cudaErrorInvalidFilterSetting);
    if (integer && texels.format.x == 32 && sampling->readMode == cudaReadModeNormalizedFloat) return smux_cpu_error(cudaErrorInvalidNormSetting);
    *object = (cudaTextureObject_t) new smux_cpu::texture_object{texels, *sampling, *resource};
    return cudaSuccess;
}

inline cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) {
    delete (smux_cpu::texture_object *)object;
    return cudaSuccess;
}

inline cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc *resource, cudaTextureObject_t object) {
    if (!resource || !object) return smux_cpu_error(cudaErrorInvalidValue);
    *resource = ((smux_cpu::texture_object *)object)->resource;
    return cudaSuccess;
}

inline cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc *sampling, cudaTextureObject_t object) {
    if (!sampling || !object) return smux_cpu_error(cudaErrorInvalidValue);
    *sampling = ((smux_cpu::texture_object *)object)->sampling;
    return cudaSuccess;
}

inline cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *object, const cudaResourceDesc *resource) {
    if (!object || !resource || resource->resType != cudaResourceTypeArray || !resource->res.array.array) return smux_cpu_error(cudaErrorInvalidValue);
    *object = (cudaSurfaceObject_t) new smux_cpu::texture_object{smux_cpu::image_of(resource->res.array.array), cudaTextureDesc(), *resource};
    return cudaSuccess;
}

inline cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc *resource, cudaSurfaceObject_t object) {
    return cudaGetTextureObjectResourceDesc(resource, object);
}

inline cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object) {
    delete (smux_cpu::texture_object *)object;
    return cudaSuccess;
}

// ---- arrays of several resolutions are not supported: the program ends where it makes one.
#define SMUX_CPU_NO_MIPMAPS(name) \
    template <class... A> cudaError_t name(A &&...) { smux_cpu_not_supported(#name); }
SMUX_CPU_NO_MIPMAPS(cudaMallocMipmappedArray)
SMUX_CPU_NO_MIPMAPS(cudaGetMipmappedArrayLevel)
SMUX_CPU_NO_MIPMAPS(cudaFreeMipmappedArray)
#undef SMUX_CPU_NO_MIPMAPS
