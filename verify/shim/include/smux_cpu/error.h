// Errors of the runtime API. A function that fails returns its error and records it as the last error.
#pragma once
#include "smux_cpu/types.h"

extern "C" {

cudaError_t cudaGetLastError();     // and forgets it, unless it is one that ends the context
cudaError_t cudaPeekAtLastError();
const char *cudaGetErrorName(cudaError_t error);
const char *cudaGetErrorString(cudaError_t error);

}  // extern "C"
