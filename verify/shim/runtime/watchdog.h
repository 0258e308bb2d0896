#pragma once

namespace smux_cpu {

// Starts to watch for kernels that make no progress. Called at each launch; does its work at the first.
void watch();
// What faults first while it looks at what a kernel without progress waits for. Does that read memory of the host?
enum class waited_for { nothing, other, host };
waited_for fault_while_looking(const void *address);

}  // namespace smux_cpu
