// Inside the runtime: the executable as a file and in memory. Its variables by address, for findings on __device__
// variables.
#pragma once
#include "engine.h"

namespace smux_cpu {

struct image_variable {
    const char *base;
    size_t bytes;
    const char *name;  // mangled
    bool own;          // the shim's or the C++ library's, not the program's
};

// Where the executable's writable variables are; {null, null} where that can't be told.
arena image_variables();

// The variable that holds p; null where there is none, or the executable has no symbols.
const image_variable *image_variable_at(const void *p);

}  // namespace smux_cpu
