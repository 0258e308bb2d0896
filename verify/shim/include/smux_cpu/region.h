// Hooks for regions of multiplexed shared memory, where the code that smux emits has no function of its
// runtime to put them into.
#pragma once
#include "smux_cpu/abi.h"

namespace smux_cpu {

// One iteration of a turn loop: a region of the v-TB whose turn it is, nothing to the others.
class turn_scope {
public:
    SMUX_CPU_INLINE turn_scope(unsigned id, int turn) : mine_(id == unsigned(turn)) {
        if (mine_) smux_cpu_region_begin();
    }
    SMUX_CPU_INLINE ~turn_scope() {
        if (mine_) smux_cpu_region_end();
    }
    turn_scope(const turn_scope &) = delete;
    turn_scope &operator=(const turn_scope &) = delete;

private:
    bool mine_;
};

}  // namespace smux_cpu
