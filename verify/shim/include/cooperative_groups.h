// Cooperative groups: blocks, tiles of a warp, coalesced lanes, and the grid. Clusters and several GPUs
// are left out.
#pragma once
#include "smux_cpu/names_begin.h"
#include <chrono> // which CUDA's includes, and programs rely on

#include "smux_cpu/groups/block.h"
#include "smux_cpu/groups/grid.h"
#include "smux_cpu/groups/lanes.h"
#include "smux_cpu/groups/partition.h"
#include "smux_cpu/names_end.h"
