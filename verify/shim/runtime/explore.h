// Runs a launch in an order that somebody else chose, and writes down which other orders there are: for
// `--all-schedules` (package verify/explore says what a step is, and what follows from the trace).
//
// SMUX_ORDER=steps:0.1*3.2  the threads of the first steps of the program; behind them the lowest that is able
// SMUX_ORDER=steps:any:7    at each step any that is able, by this seed
// SMUX_SLEEPING=3w1f0,4,1;  threads that sleep behind the last step but one: thread, kind, where, bytes, changed
// SMUX_TRACE=PATH           one line per event:
//   launch THREADS KERNEL               0 threads: too many, so it runs in ascending order, and nothing more is told of it
//   step THREAD ENABLED KIND AT BYTES CHANGED   ENABLED: a bit per thread, hexadecimal as AT is
//   arrive THREAD                       the next ticket of this launch
//   meet MEMBERS TICKET…
//   barrier PC                          the last ones have met at a barrier of the whole block or grid, there
//   state NAME                          of device and host behind the launch
//   redundant, endless, diverged        why the run was ended
#pragma once
#include "schedule.h"

namespace smux_cpu {

// Is the running launch explored? All of its blocks are then begun before any thread makes a step.
extern bool exploring;
// Does SMUX_ORDER ask for it?
bool explored_order();

void begin_exploring(uint64_t blocks, unsigned block_size);  // sets `exploring`
void end_exploring();

// The running thread is about to make a step, and makes it when its turn comes. kind as smux_cpu_atomic has it, so far as
// the result of an update is not used; site is of the call in the program.
void await_step(const void *address, size_t bytes, char kind, const void *site);
// The same where it gives way. A step is made only of what is done over and over with nothing in between.
void await_turn(const void *site, void *frame);

// Chooses who makes the next step, once no thread can do anything else, and returns its block; no_block where no thread waits for
// a step. b is the block that ran last, with its shared memory in place, and the one of which is told where all threads only spin.
constexpr unsigned no_block = ~0u;
unsigned next_step_block(const block &b);
void make_step(block &b);  // makes that thread ready; the shared memory of its block is in place
// Does a thread of this block wait for a step?
bool awaits_step(const block &b);

// Threads of the running block meet; tickets are the checker's. `whole`: where the whole block does, so that those that
// have ended count as well; else null.
void explored_meeting(const block &b, const unsigned *ranks, size_t count, const unsigned *tickets, size_t told, const void *whole);
void explored_arrival(const block &b, unsigned rank, unsigned ticket);
void explored_grid_meeting(const void *site);

// Writes what of the trace is not written yet.
void write_trace();

}  // namespace smux_cpu
