
// From here on the program's calls mean the functions above. Device code keeps CUDA's own; on the CPU engine of
// smux verify both are one. They have no parameters, so that what libraries declare by these names is renamed
// with its uses; some names are macros already, where default streams are those of the threads.
#if !defined(__CUDA_ARCH__) || defined(SMUX_CPU_INLINE)
#undef cudaMemcpy
#undef cudaMemcpyAsync
#undef cudaMemcpy2D
#undef cudaMemcpy2DAsync
#undef cudaMemcpy2DFromArray
#undef cudaMemcpy3D
#undef cudaMemcpy3DAsync
#undef cudaMemcpyFromSymbol
#undef cudaMemcpyFromSymbolAsync
#undef cudaMallocAsync
#undef cudaFreeAsync
#define cudaMemcpy smux_cudaMemcpy
#define cudaMemcpyAsync smux_cudaMemcpyAsync
#define cudaMemcpy2D smux_cudaMemcpy2D
#define cudaMemcpy2DAsync smux_cudaMemcpy2DAsync
#define cudaMemcpy2DFromArray smux_cudaMemcpy2DFromArray
#define cudaMemcpy3D smux_cudaMemcpy3D
#define cudaMemcpy3DAsync smux_cudaMemcpy3DAsync
#define cudaMemcpyFromSymbol smux_cudaMemcpyFromSymbol
#define cudaMemcpyFromSymbolAsync smux_cudaMemcpyFromSymbolAsync
#define cudaMalloc smux_cudaMalloc
#define cudaMallocPitch smux_cudaMallocPitch
#define cudaMalloc3D smux_cudaMalloc3D
#define cudaMallocManaged smux_cudaMallocManaged
#define cudaFree smux_cudaFree
#define cudaHostAlloc smux_cudaHostAlloc
#define cudaHostRegister smux_cudaHostRegister
#define cudaHostUnregister smux_cudaHostUnregister
#define cudaFreeHost smux_cudaFreeHost
#define cudaDeviceReset smux_cudaDeviceReset
#if CUDART_VERSION >= 11020
#define cudaMallocAsync smux_cudaMallocAsync
#define cudaFreeAsync smux_cudaFreeAsync
#endif
#endif
#endif
