// The runtime API, except arrays, textures and surfaces. Compared with a device: everything is done when a
// call returns; there is one device; times are virtual; host memory that is not the program's is not
// told from device memory by crashes. Errors are those of CUDA.
#pragma once
#include "smux_cpu/types.h"

#include "smux_cpu/error.h"
#include "smux_cpu/memory.h"
#include "smux_cpu/copy.h"
#include "smux_cpu/copy3d.h"
#include "smux_cpu/symbol.h"
#include "smux_cpu/stream.h"
#include "smux_cpu/event.h"
#include "smux_cpu/device.h"
#include "smux_cpu/function.h"
#include "smux_cpu/kernel.h"
#include "smux_cpu/unsupported.h"
