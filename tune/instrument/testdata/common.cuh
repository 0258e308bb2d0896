#ifndef COMMON
#define COMMON
static __device__ int common;
#endif
