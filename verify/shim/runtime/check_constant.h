// Inside the checker: the program's variables in constant memory.
#pragma once
#include <cstddef>
#include <cstdint>

namespace smux_cpu {
namespace check {

// Do all these bytes belong to one variable in constant memory?
bool is_constant(const void *p, size_t bytes);
// A kernel writes there.
void constant_write(const void *p, size_t bytes, uint32_t pc);

}  // namespace check
}  // namespace smux_cpu
