// What the signal handlers of the runtime share.
#pragma once
#include "schedule.h"

namespace smux_cpu {

// Program counter and frame of what a handler's context interrupted.
interruption interrupted_at(void *context);
// Gives the calling host thread a stack for handlers: that of a fiber may be used up.
void use_signal_stack();

}  // namespace smux_cpu
