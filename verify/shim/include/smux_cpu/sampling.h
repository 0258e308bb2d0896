// How a texture is read: a coordinate becomes texel indices and weights, a texel becomes the type that
// the program asks for. Linear filtering has the 8 bits of fraction that CUDA documents.
#pragma once
#include <math.h>

#include "smux_cpu/texture_object.h"

// Functions that read texels. Kernels can't write what they read as a texture, so these reads aren't checked.
#define SMUX_CPU_READS_TEXELS inline __attribute__((no_sanitize("thread")))

namespace smux_cpu {

struct color {
    float channel[4];
};

// The value of a half-precision number.
inline float half_bits_value(unsigned short bits) {
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    float size = exponent == 31 ? (fraction ? NAN : INFINITY)
               : exponent == 0  ? ldexpf((float)fraction, -24)
                                : ldexpf((float)(1024 + fraction), exponent - 25);
    return bits & 0x8000 ? -size : size;
}

// Channel `at` of a texel as a real number; integers are scaled to [0, 1] or [-1, 1].
SMUX_CPU_READS_TEXELS float channel_value(const char *texel, const cudaChannelFormatDesc &format, int at) {
    const int bits[4] = {format.x, format.y, format.z, format.w};
    if (bits[at] == 0) return 0;
    const char *channel = texel + at * bits[0] / 8;
    bool is_signed = format.f == cudaChannelFormatKindSigned;
    if (bits[at] == 32) return *(const float *)channel;
    if (bits[at] == 16 && format.f == cudaChannelFormatKindFloat) return half_bits_value(*(const unsigned short *)channel);
    if (bits[at] == 16) return is_signed ? fmaxf(*(const short *)channel / 32767.0f, -1.0f) : *(const unsigned short *)channel / 65535.0f;
    return is_signed ? fmaxf(*(const signed char *)channel / 127.0f, -1.0f) : *(const unsigned char *)channel / 255.0f;
}

// One axis of a sample: one or two texel indices, -1 where the border is hit, and the weight of the second.
struct axis_sample {
    long first, second;
    float weight;
};

// The texel that stands for index i of n.
inline long addressed(long i, long n, cudaTextureAddressMode mode) {
    if (i >= 0 && i < n) return i;
    switch (mode) {
        case cudaAddressModeBorder: return -1;
        case cudaAddressModeClamp: return i < 0 ? 0 : n - 1;
        case cudaAddressModeWrap: return (i % n + n) % n;
        case cudaAddressModeMirror: {
            long in_period = (i % (2 * n) + 2 * n) % (2 * n);
            return in_period < n ? in_period : 2 * n - 1 - in_period;
        }
    }
    return -1;
}

inline axis_sample sample_axis(float x, size_t size, cudaTextureAddressMode mode, const cudaTextureDesc &sampling, bool linear) {
    long n = (long)size;
    if (sampling.normalizedCoords)
        x *= (float)n;
    else if (mode == cudaAddressModeWrap || mode == cudaAddressModeMirror)
        mode = cudaAddressModeClamp;  // those two need normalised coordinates
    if (!(fabsf(x) < 1e9f)) x = x > 0 ? 1e9f : x < 0 ? -1e9f : 0;
    if (!linear) return {addressed((long)floorf(x), n, mode), -1, 0};
    x -= 0.5f;
    float below = floorf(x), weight = floorf((x - below) * 256.0f + 0.5f) / 256.0f;
    return {addressed((long)below, n, mode), addressed((long)below + 1, n, mode), weight};
}

// Where a texel lies; null for the border.
inline const char *texel_at(const image &texels, long x, long y, long z) {
    if (x < 0 || y < 0 || z < 0) return nullptr;
    return (const char *)texels.where.base + z * texels.where.slice + y * texels.where.pitch + x * texel_bytes(texels.format);
}

inline color color_at(const texture_object &texture, long x, long y, long z) {
    color result;
    const char *texel = texel_at(texture.texels, x, y, z);
    for (int at = 0; at < 4; at++)
        result.channel[at] = texel ? channel_value(texel, texture.texels.format, at) : texture.sampling.borderColor[at];
    return result;
}

inline color mix(const color &a, const color &b, float weight) {
    color result;
    for (int at = 0; at < 4; at++) result.channel[at] = (1.0f - weight) * a.channel[at] + weight * b.channel[at];
    return result;
}

// The first channels of a colour as a float or vector of floats.
template <class T> inline T from_color(const color &c) {
    T result;
    __builtin_memcpy(&result, &c, sizeof result < sizeof c ? sizeof result : sizeof c);
    return result;
}

// A texel with its own bits.
template <class T> SMUX_CPU_READS_TEXELS T from_texel(const char *texel, const cudaChannelFormatDesc &format) {
    T result = T();
    size_t bytes = texel_bytes(format);
    if (texel) __builtin_memcpy(&result, texel, bytes < sizeof result ? bytes : sizeof result);
    return result;
}

// True where the result is made of real numbers instead of the texel's bits.
inline bool converts(const texture_object &texture) {
    const cudaChannelFormatDesc &format = texture.texels.format;
    return texture.sampling.readMode == cudaReadModeNormalizedFloat || (format.f == cudaChannelFormatKindFloat && format.x == 16);
}

// One texel by its indices, -1 for the border.
template <class T> inline T texel_value(const texture_object &texture, long x, long y, long z) {
    if (converts(texture)) return from_color<T>(color_at(texture, x, y, z));
    const char *texel = texel_at(texture.texels, x, y, z);
    if (!texel && texture.texels.format.f == cudaChannelFormatKindFloat) return from_color<T>(color_at(texture, x, y, z));
    return from_texel<T>(texel, texture.texels.format);
}

// What a texture gives that nobody bound, as in a kernel without a program: numbers from 1 to 64, by place.
template <class T> inline T unbound(float x, float y, float z, long layer) {
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
    T result = T();
    for (int at = 0; at < channels_of<T>::number; at++) {
        const unsigned place = unsigned(long(x * 64)) + 31 * unsigned(long(y * 64)) + 1021 * unsigned(long(z * 64) + layer) + unsigned(at);
        const int number = int(place * 2654435761u >> 26) + 1;
        const float real = float(number);
        char *const to = reinterpret_cast<char *>(&result) + at * format.x / 8;
        __builtin_memcpy(to, format.f == cudaChannelFormatKindFloat ? static_cast<const void *>(&real) : &number, size_t(format.x / 8));
    }
    return result;
}

// A sample at up to three coordinates. `layer` picks the slice where there are only two (or one).
template <class T> inline T sampled(const texture_object *texture, int dimensions, float x, float y, float z, long layer) {
    if (!texture || !texture->texels.where.base || texture->texels.width == 0) return unbound<T>(x, y, z, layer);
    const image &texels = texture->texels;
    const cudaTextureDesc &sampling = texture->sampling;
    bool linear = sampling.filterMode == cudaFilterModeLinear;
    axis_sample first = {0, 0, 0}, at_x = sample_axis(x, texels.width, sampling.addressMode[0], sampling, linear);
    axis_sample at_y = dimensions > 1 ? sample_axis(y, texels.height, sampling.addressMode[1], sampling, linear) : first;
    axis_sample at_z = dimensions > 2 ? sample_axis(z, texels.depth, sampling.addressMode[2], sampling, linear) : first;
    if (dimensions < 3) at_z.first = at_z.second = addressed(layer, (long)texels.depth, cudaAddressModeClamp);
    if (!linear) return texel_value<T>(*texture, at_x.first, at_y.first, at_z.first);

    color slices[2];
    for (int s = 0; s < (at_z.weight > 0 ? 2 : 1); s++) {
        long slice = s ? at_z.second : at_z.first;
        color rows[2];
        for (int r = 0; r < (at_y.weight > 0 ? 2 : 1); r++) {
            long row = r ? at_y.second : at_y.first;
            rows[r] = mix(color_at(*texture, at_x.first, row, slice), color_at(*texture, at_x.second, row, slice), at_x.weight);
        }
        slices[s] = at_y.weight > 0 ? mix(rows[0], rows[1], at_y.weight) : rows[0];
    }
    return from_color<T>(at_z.weight > 0 ? mix(slices[0], slices[1], at_z.weight) : slices[0]);
}

// The texel at an index, without any sampling: 0 outside.
template <class T> inline T fetched(const texture_object *texture, long index) {
    if (!texture || !texture->texels.where.base) return unbound<T>(float(index), 0, 0, 0);
    if (index < 0 || index >= (long)texture->texels.width) return T();
    return texel_value<T>(*texture, index, 0, 0);
}

// One channel of the four texels that bilinear filtering would read, in CUDA's order: counter-clockwise
// from the lower left.
template <class T> SMUX_CPU_READS_TEXELS T gathered(const texture_object *texture, float x, float y, int channel) {
    if (!texture) return T();
    const image &texels = texture->texels;
    axis_sample at_x = sample_axis(x, texels.width, texture->sampling.addressMode[0], texture->sampling, true);
    axis_sample at_y = sample_axis(y, texels.height, texture->sampling.addressMode[1], texture->sampling, true);
    const long place[4][2] = {{at_x.first, at_y.second}, {at_x.second, at_y.second}, {at_x.second, at_y.first}, {at_x.first, at_y.first}};
    const size_t bytes = sizeof(T) / 4;
    T result = T();
    for (int at = 0; at < 4; at++) {
        char *to = (char *)&result + at * bytes;
        if (converts(*texture)) {
            *(float *)to = color_at(*texture, place[at][0], place[at][1], 0).channel[channel];
        } else if (const char *texel = texel_at(texels, place[at][0], place[at][1], 0)) {
            __builtin_memcpy(to, texel + channel * bytes, bytes);
        }
    }
    return result;
}

}  // namespace smux_cpu

#undef SMUX_CPU_READS_TEXELS
