// What `#include <cuda_runtime.h>` gives to host code that a plain C++ compiler reads: vector types,
// qualifiers, the runtime API. No device functions: there, CUDA leaves names such as min to the program.
#pragma once
#include "smux_cpu/names_begin.h"

#include "smux_cpu/include_guards.h"
#include "smux_cpu/vector_types.h"
#include "smux_cpu/qualifiers.h"
#include "smux_cpu/abi.h"
#include "smux_cpu/types.h"
#include "smux_cpu/runtime_api.h"
#include "smux_cpu/array.h"
#include "smux_cpu/texture_object.h"
#include "smux_cpu/names_end.h"
