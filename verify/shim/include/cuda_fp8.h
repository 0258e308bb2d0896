// 8-bit floating-point numbers: the toolkit's own, in its code for the host, on the half precision of the shim.
#pragma once
#include "cuda_bf16.h"
#include "cuda_fp16.h"

#pragma push_macro("__CUDA_ARCH__")
#undef __CUDA_ARCH__
#include_next <cuda_fp8.h>
#pragma pop_macro("__CUDA_ARCH__")
