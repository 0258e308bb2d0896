// bfloat16: __nv_bfloat16 and __nv_bfloat162 with the functions of CUDA, for host and device alike.
#pragma once
#include "smux_cpu/names_begin.h"
#define __CUDA_BF16_H__
#define __CUDA_BF16_HPP__

#include "smux_cpu/host.h"
#include "smux_cpu/reduced_float.h"

#define SMUX_CPU_T __nv_bfloat16
#define SMUX_CPU_T2 __nv_bfloat162
#define SMUX_CPU_RAW __nv_bfloat16_raw
#define SMUX_CPU_RAW2 __nv_bfloat162_raw
#define SMUX_CPU_FORMAT ::smux_cpu::reduced_format<7>
#define SMUX_CPU_PASTE(before, after) before##bfloat16##after
#define SMUX_CPU_PASTE2(before, after) before##bfloat162##after
#include "smux_cpu/reduced_float_type.h"
#include "smux_cpu/reduced_float_functions.h"
#include "smux_cpu/reduced_float_conversions.h"
SMUX_CPU_INLINE __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 h) { return {h, h}; }
#include "smux_cpu/reduced_float_done.h"

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

#define CUDART_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7f80)
#define CUDART_NAN_BF16 __ushort_as_bfloat16((unsigned short)0x7fff)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16((unsigned short)0x0001)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16((unsigned short)0x7f7f)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x8000)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x0000)
#define CUDART_ONE_BF16 __ushort_as_bfloat16((unsigned short)0x3f80)
#include "smux_cpu/names_end.h"
