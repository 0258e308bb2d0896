#pragma once
#include <torch/extension.h>

template <class T> __device__ T gpuAtomicAdd(T *to, T value) { return atomicAdd(to, value); }
template <class N> __device__ c10::reduced<N> gpuAtomicAdd(c10::reduced<N> *to, c10::reduced<N> value) { return atomicAdd(&to->raw, value.raw); }
template <class T> __device__ void gpuAtomicAddNoReturn(T *to, T value) { gpuAtomicAdd(to, value); }
