// Copies to and from arrays. Offsets and widths along x count bytes, rows from the first slice on.
#pragma once
#include "smux_cpu/array.h"

// ---- rectangles
SMUX_CPU_INLINE cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width, size_t height,
                                                cudaMemcpyKind kind) {
    if (!to || !smux_cpu::rows_inside(to, x, y, width, height)) return smux_cpu_refused_copy(cudaErrorInvalidValue, width, true, "rows leave the array");
    if (height > 1 && width > pitch) return smux_cpu_refused_copy(cudaErrorInvalidPitchValue, width, true, "rows are wider than the pitch");
    return smux_cpu::copy(smux_cpu::rows_from(to, x, y), {const_cast<void *>(from), pitch, pitch * height}, {width, height}, kind,
                          smux_cpu::channel_element(to->format));
}

SMUX_CPU_INLINE cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width, size_t height,
                                                  cudaMemcpyKind kind) {
    if (!from || !smux_cpu::rows_inside(from, x, y, width, height)) return smux_cpu_refused_copy(cudaErrorInvalidValue, width, false, "rows leave the array");
    if (height > 1 && width > pitch) return smux_cpu_refused_copy(cudaErrorInvalidPitchValue, width, false, "rows are wider than the pitch");
    return smux_cpu::copy({to, pitch, pitch * height}, smux_cpu::rows_from(from, x, y), {width, height}, kind, smux_cpu::channel_element(from->format));
}

SMUX_CPU_INLINE cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t x, size_t y,
                                                     size_t width, size_t height, cudaMemcpyKind kind = cudaMemcpyDeviceToDevice) {
    if (!to || !from || !smux_cpu::rows_inside(to, to_x, to_y, width, height) || !smux_cpu::rows_inside(from, x, y, width, height))
        return smux_cpu_refused_copy(cudaErrorInvalidValue, width, true, "rows leave the array");
    return smux_cpu::copy(smux_cpu::rows_from(to, to_x, to_y), smux_cpu::rows_from(from, x, y), {width, height}, kind,
                          smux_cpu::channel_element(to->format));
}

// ---- runs of bytes, which go on in the next row
SMUX_CPU_INLINE cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes, cudaMemcpyKind kind) {
    if (!to || bytes > smux_cpu::bytes_from(to, x, y)) return smux_cpu_refused_copy(cudaErrorInvalidValue, bytes, true, "they leave the array");
    return smux_cpu::copy_line(smux_cpu::rows_from(to, x, y).base, from, bytes, kind, smux_cpu::channel_element(to->format));
}

SMUX_CPU_INLINE cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x, size_t y, size_t bytes, cudaMemcpyKind kind) {
    if (!from || bytes > smux_cpu::bytes_from(from, x, y)) return smux_cpu_refused_copy(cudaErrorInvalidValue, bytes, false, "they leave the array");
    return smux_cpu::copy_line(to, smux_cpu::rows_from(from, x, y).base, bytes, kind, smux_cpu::channel_element(from->format));
}

SMUX_CPU_INLINE cudaError_t cudaMemcpyArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t x, size_t y,
                                                   size_t bytes, cudaMemcpyKind kind = cudaMemcpyDeviceToDevice) {
    if (!to || !from || bytes > smux_cpu::bytes_from(to, to_x, to_y) || bytes > smux_cpu::bytes_from(from, x, y))
        return smux_cpu_refused_copy(cudaErrorInvalidValue, bytes, true, "they leave the array");
    return smux_cpu::copy_line(smux_cpu::rows_from(to, to_x, to_y).base, smux_cpu::rows_from(from, x, y).base, bytes, kind,
                               smux_cpu::channel_element(to->format));
}

// ---- the asynchronous forms, which are done on return as the others, but ordered as their streams are
SMUX_CPU_INLINE cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width, size_t height,
                                                     cudaMemcpyKind kind, cudaStream_t stream = nullptr) {
    return smux_cpu_in_stream(stream), cudaMemcpy2DToArray(to, x, y, from, pitch, width, height, kind);
}
SMUX_CPU_INLINE cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
                                                       size_t height, cudaMemcpyKind kind, cudaStream_t stream = nullptr) {
    return smux_cpu_in_stream(stream), cudaMemcpy2DFromArray(to, pitch, from, x, y, width, height, kind);
}
SMUX_CPU_INLINE cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes, cudaMemcpyKind kind,
                                                   cudaStream_t stream = nullptr) {
    return smux_cpu_in_stream(stream), cudaMemcpyToArray(to, x, y, from, bytes, kind);
}
SMUX_CPU_INLINE cudaError_t cudaMemcpyFromArrayAsync(void *to, cudaArray_const_t from, size_t x, size_t y, size_t bytes, cudaMemcpyKind kind,
                                                     cudaStream_t stream = nullptr) {
    return smux_cpu_in_stream(stream), cudaMemcpyFromArray(to, from, x, y, bytes, kind);
}
