// The include guards of the CUDA toolkit's own headers, taken, and its version.
//
// Programs ask by a guard whether the runtime is there (cuda-samples: __DRIVER_TYPES_H__). And where a
// toolkit is installed in /usr/include, a header of it that the shim lacks (of a library, say) must not
// bring in a second set of types through its neighbours.
#pragma once

#define CUDART_VERSION 12000
#define CUDA_VERSION 12000

#define __BUILTIN_TYPES_H__
#define __CHANNEL_DESCRIPTOR_H__
#define __COMMON_FUNCTIONS_H__
#define __CUDA_DEVICE_RUNTIME_API_H__
#define __CUDA_RUNTIME_API_H__
#define __CUDA_RUNTIME_H__
#define __CUDA_SURFACE_TYPES_H__
#define __CUDA_TEXTURE_TYPES_H__
#define __DEVICE_ATOMIC_FUNCTIONS_H__
#define __DEVICE_DOUBLE_FUNCTIONS_H__
#define __DEVICE_FUNCTIONS_H__
#define __DEVICE_LAUNCH_PARAMETERS_H__
#define __DEVICE_TYPES_H__
#define __DRIVER_FUNCTIONS_H__
#define __DRIVER_TYPES_H__
#define __HOST_CONFIG_H__
#define __HOST_DEFINES_H__
#define __MATH_FUNCTIONS_H__
#define __SURFACE_FUNCTIONS_H__
#define __SURFACE_INDIRECT_FUNCTIONS_H__
#define __SURFACE_TYPES_H__
#define __TEXTURE_FETCH_FUNCTIONS_H__
#define __TEXTURE_INDIRECT_FUNCTIONS_H__
#define __TEXTURE_TYPES_H__
#define __VECTOR_FUNCTIONS_H__
#define __VECTOR_TYPES_H__
