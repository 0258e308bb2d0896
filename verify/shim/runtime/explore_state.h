// Inside the runtime: what one launch leaves to the next, for the comparison of runs of one program.
#pragma once
#include <cstddef>
#include <cstdint>

namespace smux_cpu {

// Names what device memory and the program's variables hold, and all that the host has been given.
uint64_t state_of_memory();

// Quick, for telling whether anything differs.
uint64_t fingerprint(const char *p, size_t bytes);

// Of everything that was copied to the host so far (copies.cc).
uint64_t copied_so_far();
// Notes what a C program that follows its directives (directives.cc) has in memory that comes back from a device.
void note_result(const void *host, size_t bytes, element type);

}  // namespace smux_cpu
