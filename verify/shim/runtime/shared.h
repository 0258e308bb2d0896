// Shared memory: one arena, the declared variables from its low end on, the dynamic array at its high end.
#pragma once
#include <vector>

#include "engine.h"

namespace smux_cpu {

// Sets the size of the dynamic array for a launch. Its address never changes.
void size_dynamic_shared(size_t bytes);

// A new block: all variables are new to it, the dynamic array is poisoned.
void begin_shared();

// Bytes of the variables that the block which ran last came past. Those of namespace scope are left out: which kernels
// use them is not known.
size_t declared_shared();

// Is memory behind this address of the shared arena? Pages past the end of the dynamic array are a guard.
bool is_shared_memory(const char *p);

// What the shared variables held when a block was set aside.
struct shared_contents {
    struct entry {
        shared_variable *variable;
        std::vector<char> bytes;
    };
    unsigned long epoch = 0;
    std::vector<entry> entries;
};
shared_contents save_shared();
void restore_shared(const shared_contents &saved);

}  // namespace smux_cpu
