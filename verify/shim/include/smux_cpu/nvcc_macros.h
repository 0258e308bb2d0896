// The macros by which programs ask for the compiler, its version and the architecture: nvcc 12.0 in
// its pass for compute capability 8.0. There is one pass only, so host code sees __CUDA_ARCH__ too.
#pragma once

#define __CUDACC__ 1
#define __NVCC__ 1
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 140
#define __CUDA_API_VER_MAJOR__ 12
#define __CUDA_API_VER_MINOR__ 0
#define __CUDACC_EXTENDED_LAMBDA__ 1
#define __CUDACC_RELAXED_CONSTEXPR__ 1

#define __CUDA_ARCH__ 800
#define __CUDA_ARCH_LIST__ 800
