
// From here on the program's calls mean the functions above. Device code keeps CUDA's own; on the CPU engine of
// smux verify both are one.
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
#define cudaMemcpy(...) smux_cudaMemcpy(__VA_ARGS__)
#define cudaMemcpyAsync(...) smux_cudaMemcpyAsync(__VA_ARGS__)
#define cudaMemcpy2D(...) smux_cudaMemcpy2D(__VA_ARGS__)
#define cudaMemcpy2DAsync(...) smux_cudaMemcpy2DAsync(__VA_ARGS__)
#define cudaMemcpy2DFromArray(...) smux_cudaMemcpy2DFromArray(__VA_ARGS__)
#define cudaMemcpy3D(...) smux_cudaMemcpy3D(__VA_ARGS__)
#define cudaMemcpy3DAsync(...) smux_cudaMemcpy3DAsync(__VA_ARGS__)
#define cudaMemcpyFromSymbol(...) smux_cudaMemcpyFromSymbol(__VA_ARGS__)
#define cudaMemcpyFromSymbolAsync(...) smux_cudaMemcpyFromSymbolAsync(__VA_ARGS__)
#define cudaMalloc(...) smux_cudaMalloc(__VA_ARGS__)
#define cudaMallocPitch(...) smux_cudaMallocPitch(__VA_ARGS__)
#define cudaMalloc3D(...) smux_cudaMalloc3D(__VA_ARGS__)
#define cudaMallocManaged(...) smux_cudaMallocManaged(__VA_ARGS__)
#define cudaFree(...) smux_cudaFree(__VA_ARGS__)
#if CUDART_VERSION >= 11020
#define cudaMallocAsync(...) smux_cudaMallocAsync(__VA_ARGS__)
#define cudaFreeAsync(...) smux_cudaFreeAsync(__VA_ARGS__)
#endif
#endif
#endif
