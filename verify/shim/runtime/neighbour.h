// Inside the runtime: an address out of bounds, told by what lies next to it.
#pragma once
#include "report.h"

namespace smux_cpu {

// Of global memory: members offset, text and, where an allocation is near, allocated. Its canary is not looked at
// any more. An address in freed memory is told as such.
void describe_by_allocation(record &r, const char *p);

// Of shared memory: members variable, file, line, offset and text.
void describe_by_variable(record &r, const char *p);

}  // namespace smux_cpu
