// Half precision: __half and __half2 with the functions of CUDA, for host and device alike.
#pragma once
#include "smux_cpu/names_begin.h"
#define __CUDA_FP16_H__
#define __CUDA_FP16_HPP__

#include "smux_cpu/host.h"
#include "smux_cpu/reduced_float.h"

#define SMUX_CPU_T __half
#define SMUX_CPU_T2 __half2
#define SMUX_CPU_RAW __half_raw
#define SMUX_CPU_RAW2 __half2_raw
#define SMUX_CPU_FORMAT ::smux_cpu::reduced_format<10>
#define SMUX_CPU_PASTE(before, after) before##half##after
#define SMUX_CPU_PASTE2(before, after) before##half2##after
#include "smux_cpu/reduced_float_type.h"
#include "smux_cpu/reduced_float_functions.h"
#include "smux_cpu/reduced_float_conversions.h"
SMUX_CPU_INLINE __half2 __half2half2(__half h) { return {h, h}; }
#include "smux_cpu/reduced_float_done.h"

typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half __nv_half;
typedef __half2 nv_half2;
typedef __half2 __nv_half2;

#define CUDART_INF_FP16 __ushort_as_half((unsigned short)0x7c00)
#define CUDART_NAN_FP16 __ushort_as_half((unsigned short)0x7fff)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half((unsigned short)0x0001)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7bff)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half((unsigned short)0x8000)
#define CUDART_ZERO_FP16 __ushort_as_half((unsigned short)0x0000)
#define CUDART_ONE_FP16 __ushort_as_half((unsigned short)0x3c00)
#include "smux_cpu/names_end.h"
