
// What stands in the place of CUDA's functions that allocate memory of the device.
template <class T> inline cudaError_t smux_cudaMalloc(T **p, size_t count) {
    const cudaError_t error = cudaMalloc((void **)p, count);
    if (error == cudaSuccess) smux_launch::allocated((void *)*p, count, (uint32_t)smux_launch::Element<T>::code);
    return error;
}
template <class T> inline cudaError_t smux_cudaMallocPitch(T **p, size_t *pitch, size_t width, size_t height) {
    const cudaError_t error = cudaMallocPitch((void **)p, pitch, width, height);
    if (error == cudaSuccess) smux_launch::allocated((void *)*p, *pitch * height, (uint32_t)smux_launch::Element<T>::code);
    return error;
}
inline cudaError_t smux_cudaMalloc3D(cudaPitchedPtr *p, cudaExtent extent) {
    const cudaError_t error = cudaMalloc3D(p, extent);
    if (error == cudaSuccess) smux_launch::allocated(p->ptr, p->pitch * extent.height * extent.depth, smux_launch::bytes);
    return error;
}
template <class T> inline cudaError_t smux_cudaMallocManaged(T **p, size_t count, unsigned flags = cudaMemAttachGlobal) {
    const cudaError_t error = cudaMallocManaged((void **)p, count, flags);
    if (error == cudaSuccess) smux_launch::allocated((void *)*p, count, (uint32_t)smux_launch::Element<T>::code, 0);
    return error;
}
inline cudaError_t smux_cudaFree(void *p) {
    smux_launch::freed(p);
    return cudaFree(p);
}
inline cudaError_t smux_cudaDeviceReset() {
    smux_launch::forget();
    smux_launch::flush_buffer() = nullptr;
    return cudaDeviceReset();
}
template <class T> inline cudaError_t smux_cudaHostAlloc(T **p, size_t count, unsigned flags) {
    const cudaError_t error = cudaHostAlloc((void **)p, count, flags);
    if (error == cudaSuccess && (flags & cudaHostAllocMapped)) {
        if (smux_launch::environment().check) memset((void *)*p, 0, count);
        smux_launch::mapped((void *)*p, count, (uint32_t)smux_launch::Element<T>::code);
    }
    return error;
}
inline cudaError_t smux_cudaHostRegister(void *p, size_t count, unsigned flags) {
    const cudaError_t error = cudaHostRegister(p, count, flags);
    if (error == cudaSuccess && (flags & cudaHostRegisterMapped)) smux_launch::mapped(p, count, smux_launch::bytes);
    return error;
}
inline cudaError_t smux_cudaHostUnregister(void *p) {
    smux_launch::freed(p);
    return cudaHostUnregister(p);
}
inline cudaError_t smux_cudaFreeHost(void *p) {
    smux_launch::freed(p);
    return cudaFreeHost(p);
}
#if CUDART_VERSION >= 11020
template <class T> inline cudaError_t smux_cudaMallocAsync(T **p, size_t count, cudaStream_t stream = 0) {
    const cudaError_t error = cudaMallocAsync((void **)p, count, stream);
    if (smux_launch::environment().check && error == cudaSuccess && cudaStreamSynchronize(stream) == cudaSuccess)
        smux_launch::allocated((void *)*p, count, (uint32_t)smux_launch::Element<T>::code);
    return error;
}
template <class T> inline cudaError_t smux_cudaMallocAsync(T **p, size_t count, cudaMemPool_t pool, cudaStream_t stream) {
    const cudaError_t error = cudaMallocFromPoolAsync((void **)p, count, pool, stream);
    if (smux_launch::environment().check && error == cudaSuccess && cudaStreamSynchronize(stream) == cudaSuccess)
        smux_launch::allocated((void *)*p, count, (uint32_t)smux_launch::Element<T>::code);
    return error;
}
inline cudaError_t smux_cudaFreeAsync(void *p, cudaStream_t stream = 0) {
    smux_launch::freed(p);
    return cudaFreeAsync(p, stream);
}
#endif
