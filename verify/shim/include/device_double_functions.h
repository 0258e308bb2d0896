// Device functions: a .cu file has them already, by smux_cpu/cuda.h.
#pragma once
#include "smux_cpu/host.h"
