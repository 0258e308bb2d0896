// Cooperative groups: blocks, tiles of a warp, coalesced lanes, and the grid. Several GPUs are left out; a kernel that asks
// for its cluster ends there.
#pragma once
#include "smux_cpu/names_begin.h"
#include <chrono> // which CUDA's includes, and programs rely on

#include "smux_cpu/groups/block.h"
#include "smux_cpu/groups/grid.h"
#include "smux_cpu/groups/lanes.h"
#include "smux_cpu/groups/partition.h"
#include "smux_cpu/names_end.h"
