// Sharing buffers with OpenGL: programs compile, and one that makes such a call ends there.
#pragma once
#include "smux_cpu/names_begin.h"
#include "cuda_runtime.h"

#define SMUX_CPU_UNSUPPORTED_GL(name) \
    template <class... A> cudaError_t name(A &&...) { smux_cpu_not_supported(#name); }
SMUX_CPU_UNSUPPORTED_GL(cudaGLGetDevices)
SMUX_CPU_UNSUPPORTED_GL(cudaGLSetGLDevice)
SMUX_CPU_UNSUPPORTED_GL(cudaGLRegisterBufferObject)
SMUX_CPU_UNSUPPORTED_GL(cudaGLUnregisterBufferObject)
SMUX_CPU_UNSUPPORTED_GL(cudaGLMapBufferObject)
SMUX_CPU_UNSUPPORTED_GL(cudaGLUnmapBufferObject)
SMUX_CPU_UNSUPPORTED_GL(cudaGraphicsGLRegisterBuffer)
SMUX_CPU_UNSUPPORTED_GL(cudaGraphicsGLRegisterImage)
#undef SMUX_CPU_UNSUPPORTED_GL
#include "smux_cpu/names_end.h"
