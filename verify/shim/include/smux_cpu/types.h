// The types and constants of the runtime API: what host code declares variables of and passes to the
// functions of runtime_api.h. Names and values are CUDA's; the layout of structures is our own, for
// nothing outside a translated program reads them. Types of textures and arrays stand with the textures.
#pragma once
#include <cstddef>

#include "smux_cpu/device_types.h"
#include "smux_cpu/error_codes.h"
#include "smux_cpu/launch_types.h"
#include "smux_cpu/memory_types.h"
#include "smux_cpu/stream_types.h"
