// Inside the runtime: launches that are made again, by forms of their kernel.
#pragma once
#include <functional>

#include "engine.h"

namespace smux_cpu {

// Stops where this launch is the one that is meant, and returns then with what the original leaves behind; false where
// it is to be made as ever. The launch with its arguments in launched_arguments makes it once.
bool replay(const config &c, const char *kernel, const std::function<void()> &original);

// The addresses of the arguments of the launch that is being made, as smux_cpu/launch.h puts them together; null where it
// is made in another way.
extern void **launched_arguments;
extern bool stopped;  // while forms are launched

}  // namespace smux_cpu
