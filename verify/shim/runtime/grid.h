// A launch as the engine sees it while it runs.
#pragma once
#include "schedule.h"

namespace smux_cpu {

struct launch {
    const config *shape;
    void (*body)(void *);
    void *argument;
    unsigned block_size;
    uint64_t blocks;
};

extern const launch *launched;  // null when none runs

// Runs all blocks: one after another, unless some wait for others.
void run_grid(const launch &l);

inline void run_kernel_body() { launched->body(launched->argument); }

}  // namespace smux_cpu
