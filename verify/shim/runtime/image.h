// Inside the runtime: the executable as a file and in memory. Its variables by address, for findings on __device__
// variables.
#pragma once
#include <string>

#include "engine.h"

namespace smux_cpu {

struct image_variable {
    const char *base;
    size_t bytes;
    const char *name;  // mangled, for plain_name
    bool own;          // the shim's or the C++ library's, not the program's
};

// Where the executable's writable variables are; {null, null} where that can't be told.
arena image_variables();

// The variable that holds p; null where there is none, or the executable has no symbols.
const image_variable *image_variable_at(const void *p);

// A name as a program has it: lib::counter.
std::string plain_name(const char *mangled);

// The name of the function that begins at p, without its parameters: lib::scale<float, 2>. Empty where there is none.
std::string image_function_at(const void *p);

}  // namespace smux_cpu
