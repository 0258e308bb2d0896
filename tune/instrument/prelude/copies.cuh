
// What stands in the place of CUDA's functions that copy to the host. Each twice: for pointers with a type, and
// for what only converts to void *.
namespace smux_launch {

// Whether a copy brings memory of the device to the host.
inline bool comes_to_host(cudaMemcpyKind kind, const void *to, const void *from) {
    if (!is_logging()) return false;
    if (kind != cudaMemcpyDefault) return kind == cudaMemcpyDeviceToHost;
    if (cudaPeekAtLastError() != cudaSuccess) return false;
    cudaPointerAttributes there, here;
    const bool known = cudaPointerGetAttributes(&there, to) == cudaSuccess && cudaPointerGetAttributes(&here, from) == cudaSuccess;
    if (!known) {
        (void)cudaGetLastError();
        return false;
    }
    const bool to_host = there.type == cudaMemoryTypeHost || there.type == cudaMemoryTypeUnregistered;
    return to_host && (here.type == cudaMemoryTypeDevice || here.type == cudaMemoryTypeManaged);
}

// Waits until an asynchronous copy is done, so that it can be looked at.
inline bool is_done(cudaError_t error, cudaStream_t stream) {
    if (error != cudaSuccess || !is_logging() || cudaPeekAtLastError() != cudaSuccess) return false;
    cudaStreamCaptureStatus capturing = cudaStreamCaptureStatusNone;
    if (cudaStreamIsCapturing(stream, &capturing) != cudaSuccess) {
        (void)cudaGetLastError();
        return false;
    }
    if (capturing != cudaStreamCaptureStatusNone) return false;
    return cudaStreamSynchronize(stream) == cudaSuccess;
}

inline cudaError_t line(cudaError_t error, bool done, const void *to, const void *from, size_t count, cudaMemcpyKind kind, uint32_t element) {
    if (error != cudaSuccess) return error;
    if (environment().check) {
        holds(to, element);
        holds(from, element);
    }
    if (done && comes_to_host(kind, to, from)) log_memory(copied, to, count, element);
    return error;
}

inline cudaError_t rows(cudaError_t error, bool done, const void *to, size_t pitch, const void *from, size_t width, size_t height, cudaMemcpyKind kind, uint32_t element) {
    if (error != cudaSuccess) return error;
    if (environment().check) {
        holds(to, element);
        holds(from, element);
    }
    if (done && comes_to_host(kind, to, from)) log_box(copied, to, width, height, 1, pitch, pitch * height, element);
    return error;
}

// Bytes of a texel.
inline size_t texel(cudaArray_t array) {
    cudaChannelFormatDesc d;
    cudaExtent extent;
    unsigned flags = 0;
    if (cudaArrayGetInfo(&d, &extent, &flags, array) != cudaSuccess) return 0;
    return (size_t)(d.x + d.y + d.z + d.w) / 8;
}

inline cudaError_t box(cudaError_t error, bool done, const cudaMemcpy3DParms *p) {
    const bool shown = error == cudaSuccess && done && is_logging() && !p->dstArray && p->dstPtr.ptr;
    if (!shown || !(p->srcArray ? p->kind == cudaMemcpyDeviceToHost : comes_to_host(p->kind, p->dstPtr.ptr, p->srcPtr.ptr))) return error;
    const size_t pitch = p->dstPtr.pitch, slice = pitch * p->dstPtr.ysize;
    const char *base = (const char *)p->dstPtr.ptr + p->dstPos.z * slice + p->dstPos.y * pitch + p->dstPos.x;
    const size_t width = p->extent.width * (p->srcArray ? texel(p->srcArray) : 1);
    log_box(copied, base, width, p->extent.height, p->extent.depth, pitch, slice, bytes);
    return error;
}

}  // namespace smux_launch

template <class T, class U> inline cudaError_t smux_cudaMemcpy(T *to, const U *from, size_t count, cudaMemcpyKind kind) {
    return smux_launch::line(cudaMemcpy((void *)to, (const void *)from, count, kind), true, (const void *)to, (const void *)from, count, kind, smux_launch::element_of<T, U>());
}
inline cudaError_t smux_cudaMemcpy(void *to, const void *from, size_t count, cudaMemcpyKind kind) {
    return smux_launch::line(cudaMemcpy(to, from, count, kind), true, to, from, count, kind, smux_launch::bytes);
}

template <class T, class U> inline cudaError_t smux_cudaMemcpyAsync(T *to, const U *from, size_t count, cudaMemcpyKind kind, cudaStream_t stream = 0) {
    const cudaError_t error = cudaMemcpyAsync((void *)to, (const void *)from, count, kind, stream);
    return smux_launch::line(error, smux_launch::is_done(error, stream), (const void *)to, (const void *)from, count, kind, smux_launch::element_of<T, U>());
}
inline cudaError_t smux_cudaMemcpyAsync(void *to, const void *from, size_t count, cudaMemcpyKind kind, cudaStream_t stream = 0) {
    const cudaError_t error = cudaMemcpyAsync(to, from, count, kind, stream);
    return smux_launch::line(error, smux_launch::is_done(error, stream), to, from, count, kind, smux_launch::bytes);
}

template <class T, class U>
inline cudaError_t smux_cudaMemcpy2D(T *to, size_t pitch, const U *from, size_t fromPitch, size_t width, size_t height, cudaMemcpyKind kind) {
    const cudaError_t error = cudaMemcpy2D((void *)to, pitch, (const void *)from, fromPitch, width, height, kind);
    return smux_launch::rows(error, true, (const void *)to, pitch, (const void *)from, width, height, kind, smux_launch::element_of<T, U>());
}
inline cudaError_t smux_cudaMemcpy2D(void *to, size_t pitch, const void *from, size_t fromPitch, size_t width, size_t height, cudaMemcpyKind kind) {
    return smux_launch::rows(cudaMemcpy2D(to, pitch, from, fromPitch, width, height, kind), true, to, pitch, from, width, height, kind, smux_launch::bytes);
}

template <class T, class U>
inline cudaError_t smux_cudaMemcpy2DAsync(T *to, size_t pitch, const U *from, size_t fromPitch, size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream = 0) {
    const cudaError_t error = cudaMemcpy2DAsync((void *)to, pitch, (const void *)from, fromPitch, width, height, kind, stream);
    return smux_launch::rows(error, smux_launch::is_done(error, stream), (const void *)to, pitch, (const void *)from, width, height, kind, smux_launch::element_of<T, U>());
}
inline cudaError_t smux_cudaMemcpy2DAsync(void *to, size_t pitch, const void *from, size_t fromPitch, size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream = 0) {
    const cudaError_t error = cudaMemcpy2DAsync(to, pitch, from, fromPitch, width, height, kind, stream);
    return smux_launch::rows(error, smux_launch::is_done(error, stream), to, pitch, from, width, height, kind, smux_launch::bytes);
}

inline cudaError_t smux_cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width, size_t height, cudaMemcpyKind kind) {
    const cudaError_t error = cudaMemcpy2DFromArray(to, pitch, from, x, y, width, height, kind);
    if (error == cudaSuccess && kind == cudaMemcpyDeviceToHost) smux_launch::log_box(smux_launch::copied, to, width, height, 1, pitch, pitch * height, smux_launch::bytes);
    return error;
}

inline cudaError_t smux_cudaMemcpy3D(const cudaMemcpy3DParms *p) { return smux_launch::box(cudaMemcpy3D(p), true, p); }
inline cudaError_t smux_cudaMemcpy3DAsync(const cudaMemcpy3DParms *p, cudaStream_t stream = 0) {
    const cudaError_t error = cudaMemcpy3DAsync(p, stream);
    return smux_launch::box(error, smux_launch::is_done(error, stream), p);
}

template <class T, class U>
inline cudaError_t smux_cudaMemcpyFromSymbol(T *to, const U &symbol, size_t count, size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
    const cudaError_t error = cudaMemcpyFromSymbol(to, symbol, count, offset, kind);
    if (error == cudaSuccess && kind != cudaMemcpyDeviceToDevice) smux_launch::log_memory(smux_launch::copied_from_symbol, (const void *)to, count, smux_launch::element_of<T, U>());
    return error;
}
template <class T, class U>
inline cudaError_t smux_cudaMemcpyFromSymbolAsync(T *to, const U &symbol, size_t count, size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = 0) {
    const cudaError_t error = cudaMemcpyFromSymbolAsync(to, symbol, count, offset, kind, stream);
    if (smux_launch::is_done(error, stream) && kind != cudaMemcpyDeviceToDevice)
        smux_launch::log_memory(smux_launch::copied_from_symbol, (const void *)to, count, smux_launch::element_of<T, U>());
    return error;
}
