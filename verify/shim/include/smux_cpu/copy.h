// Copies and fills. All are done when the call returns; of the asynchronous forms it is told which stream orders them.
// Templates, because the log of what comes to the host records its element type.
#pragma once
#include "smux_cpu/element.h"
#include "smux_cpu/host_abi.h"

namespace smux_cpu {

// One copy of `size`. always_inline, so that the log's place is that of the call in the program.
SMUX_CPU_INLINE cudaError_t copy(const layout &to, const layout &from, const extent &size, cudaMemcpyKind kind, element type, int what = 1) {
    const int result = smux_cpu_copy(&to, &from, &size, kind);
    if (result != copied_to_host) return cudaError_t(result);
    if (type == unlogged) return cudaSuccess;
    // As few records as the layout allows: whoever compares shows positions inside a record.
    const bool rows_touch = size.height == 1 || to.pitch == size.width;
    const bool slices_touch = size.depth == 1 || to.slice == size.width * size.height;
    const char *base = static_cast<const char *>(to.base);
    if (rows_touch && slices_touch) {
        smux_cpu_log_copy(what, base, size.width * size.height * size.depth, type);
        return cudaSuccess;
    }
    for (size_t z = 0; z < size.depth; z++)
        for (size_t y = 0; y < size.height; y++) smux_cpu_log_copy(what, base + z * to.slice + y * to.pitch, size.width, type);
    return cudaSuccess;
}

SMUX_CPU_INLINE cudaError_t copy_line(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, element type, int what = 1) {
    return smux_cpu_copy_line(to, from, bytes, kind, type, what);
}

// Rows that overlap are an error of the caller.
SMUX_CPU_INLINE cudaError_t copy_rows(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height, cudaMemcpyKind kind, element type) {
    if (height > 0 && (width > to_pitch || width > from_pitch)) return smux_cpu_refused_copy(cudaErrorInvalidPitchValue, width, true, "rows are wider than the pitch");
    return copy({to, to_pitch, to_pitch * height}, {const_cast<void *>(from), from_pitch, from_pitch * height}, {width, height}, kind, type);
}

}  // namespace smux_cpu

// Each function twice: for pointers with a type, and for what only converts to void *.
template <class T, class U> SMUX_CPU_INLINE cudaError_t cudaMemcpy(T *to, const U *from, size_t bytes, cudaMemcpyKind kind) {
    return smux_cpu::copy_line((void *)to, from, bytes, kind, smux_cpu::copied_element<T, U>());
}
SMUX_CPU_INLINE cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind) {
    return smux_cpu::copy_line(to, from, bytes, kind, smux_cpu::element::bytes);
}
template <class T, class U> SMUX_CPU_INLINE cudaError_t cudaMemcpyAsync(T *to, const U *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream = nullptr) {
    if (smux_cpu::captured(stream, cudaGraphNodeTypeMemcpy, [=] { cudaMemcpy(to, from, bytes, kind); })) return cudaSuccess;
    return smux_cpu_in_stream(stream), smux_cpu::copy_line((void *)to, from, bytes, kind, smux_cpu::copied_element<T, U>());
}
SMUX_CPU_INLINE cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream = nullptr) {
    if (smux_cpu::captured(stream, cudaGraphNodeTypeMemcpy, [=] { cudaMemcpy(to, from, bytes, kind); })) return cudaSuccess;
    return smux_cpu_in_stream(stream), smux_cpu::copy_line(to, from, bytes, kind, smux_cpu::element::bytes);
}

template <class T, class U> SMUX_CPU_INLINE cudaError_t cudaMemcpy2D(T *to, size_t to_pitch, const U *from, size_t from_pitch, size_t width, size_t height, cudaMemcpyKind kind) {
    return smux_cpu::copy_rows((void *)to, to_pitch, from, from_pitch, width, height, kind, smux_cpu::copied_element<T, U>());
}
SMUX_CPU_INLINE cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height, cudaMemcpyKind kind) {
    return smux_cpu::copy_rows(to, to_pitch, from, from_pitch, width, height, kind, smux_cpu::element::bytes);
}
template <class T, class U> SMUX_CPU_INLINE cudaError_t cudaMemcpy2DAsync(T *to, size_t to_pitch, const U *from, size_t from_pitch, size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream = nullptr) {
    if (smux_cpu::captured(stream, cudaGraphNodeTypeMemcpy, [=] { cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height, kind); })) return cudaSuccess;
    return smux_cpu_in_stream(stream), smux_cpu::copy_rows((void *)to, to_pitch, from, from_pitch, width, height, kind, smux_cpu::copied_element<T, U>());
}
SMUX_CPU_INLINE cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream = nullptr) {
    if (smux_cpu::captured(stream, cudaGraphNodeTypeMemcpy, [=] { cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height, kind); })) return cudaSuccess;
    return smux_cpu_in_stream(stream), smux_cpu::copy_rows(to, to_pitch, from, from_pitch, width, height, kind, smux_cpu::element::bytes);
}

extern "C" {

// Between devices: there is one, so both must be 0.
cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes);
cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes, cudaStream_t stream = nullptr);

cudaError_t cudaMemset(void *p, int value, size_t bytes);
cudaError_t cudaMemset2D(void *p, size_t pitch, int value, size_t width, size_t height);
cudaError_t cudaMemset3D(cudaPitchedPtr p, int value, cudaExtent extent);
cudaError_t cudaMemsetAsync(void *p, int value, size_t bytes, cudaStream_t stream = nullptr);
cudaError_t cudaMemset2DAsync(void *p, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream = nullptr);
cudaError_t cudaMemset3DAsync(cudaPitchedPtr p, int value, cudaExtent extent, cudaStream_t stream = nullptr);

}  // extern "C"
