// Inside the runtime: see sums.cc.
#pragma once

namespace smux_cpu {

void begin_sums();   // a new launch: what stands in memory is the sum
extern bool summed;  // has anything been added up so?

}  // namespace smux_cpu
