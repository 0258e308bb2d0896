// The driver API, as far as it does what the runtime API does too. Programs that take their kernels from
// modules stop at cuModuleLoad: there is no PTX here.
#pragma once
#include "smux_cpu/names_begin.h"
#define __cuda_cuda_h__  // programs ask by it whether they may use the driver API
#include "smux_cpu/host.h"

#include "smux_cpu/driver_types.h"
#include "smux_cpu/driver_api.h"
#include "smux_cpu/names_end.h"
