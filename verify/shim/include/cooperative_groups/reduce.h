// Reductions of cooperative groups.
#pragma once
#include "cooperative_groups.h"
#include "smux_cpu/groups/reduce.h"
