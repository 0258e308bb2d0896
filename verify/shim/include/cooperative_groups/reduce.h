// Reductions of cooperative groups.
#pragma once
#include "cooperative_groups.h"
#include "smux_cpu/groups/reduce.h"

namespace cooperative_groups {
using namespace folds::operators;
using folds::reduce;
}  // namespace cooperative_groups
