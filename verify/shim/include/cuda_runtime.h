// The runtime API. Translated programs have it already: smux_cpu/cuda.h is included before their first line.
#pragma once
#include "smux_cpu/host.h"
