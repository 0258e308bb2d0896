#pragma once

namespace smux_cpu {

// Starts to watch for kernels that make no progress. Called at each launch; does its work at the first.
void watch();

}  // namespace smux_cpu
