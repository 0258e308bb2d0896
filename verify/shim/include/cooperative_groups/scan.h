// Scans of cooperative groups.
#pragma once
#include "cooperative_groups.h"
#include "smux_cpu/groups/reduce.h"

namespace cooperative_groups {
using folds::plus;
using folds::less;
using folds::greater;
using folds::bit_and;
using folds::bit_or;
using folds::bit_xor;
using folds::inclusive_scan;
using folds::exclusive_scan;
}  // namespace cooperative_groups
