// The header that every translated .cu file begins with (-include smux_cpu/cuda.h, precompiled): it
// makes the C++ compiler look like nvcc in its device pass, with all that nvcc predeclares.
//
// Left out, because CUDA has them in headers of their own: fp16, bf16, cooperative groups, curand,
// complex numbers, Thrust. Host sources (.cpp) don't get this header; what they include by the name
// cuda_runtime.h is smux_cpu/host.h, which has neither __CUDACC__ nor device functions.
#pragma once

// First, while nothing tells them that this is CUDA: glibc and libstdc++ change under __CUDACC__, and
// the qualifier macros collide with attributes that they use. Only the headers that nvcc includes
// too, or programs with `using namespace std` would see names that they don't expect.
#include "smux_cpu/checked_memory.h"

#include <assert.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <type_traits>
#include <utility>

#include "smux_cpu/nvcc_macros.h"

#include "smux_cpu/host.h"
#include "smux_cpu/access_hooks.h"

#include "smux_cpu/sync.h"
#include "smux_cpu/warp.h"
#include "smux_cpu/matrix.h"
#include "smux_cpu/atomics.h"
#include "smux_cpu/mbarrier.h"
#include "smux_cpu/launch.h"
#include "smux_cpu/region.h"

#include "smux_cpu/math.h"
#include "smux_cpu/fast_math.h"
#include "smux_cpu/bits.h"
#include "smux_cpu/video.h"
#include "smux_cpu/convert.h"
#include "smux_cpu/load.h"
#include "smux_cpu/address_space.h"
#include "smux_cpu/clock.h"
#include "smux_cpu/texture.h"
#include "smux_cpu/texture_reference.h"
#include "smux_cpu/surface.h"
