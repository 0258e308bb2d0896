// Scans of cooperative groups.
#pragma once
#include "cooperative_groups.h"
#include "smux_cpu/groups/reduce.h"

namespace cooperative_groups {
using namespace folds::operators;
using folds::inclusive_scan;
using folds::exclusive_scan;
}  // namespace cooperative_groups
