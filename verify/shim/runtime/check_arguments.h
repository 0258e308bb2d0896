// Inside the checker: launches that are given pointers to host memory.
//
// A GPU's kernel can't reach what malloc, new or a variable of the host made. Memory of that kind looks like what a kernel
// allocates itself, so not every access to it can be told; but what a pointer among the arguments points to can.
#pragma once
#include <cstddef>
#include <cstdint>

#include "check.h"

namespace smux_cpu {
namespace check {

// How many of the running launch's arguments point to host memory.
extern unsigned host_arguments;
void begin_arguments();
void end_arguments();
// An access to no device memory.
void host_memory_access(const void *p, manner how, uint32_t pc);

}  // namespace check
}  // namespace smux_cpu
