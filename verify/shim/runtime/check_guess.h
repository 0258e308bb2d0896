// Inside the checker: reads that are guesses.
//
// A loop over atomicCAS begins with a plain read of the word: old = *p; do { … } while (atomicCAS(p, …) …). That read is
// not ordered with the atomics of others, and need not be, since the swap is made only where the guess was right. So
// a race between a plain read and an atomic write is held back until the reader swaps there: then it is none. Where it
// meets others or ends before, the race is reported.
#pragma once
#include <string>

#include "check_race.h"

namespace smux_cpu {
namespace check {

// Is this race one between a plain read and an atomic write?
bool may_be_guess(const race &r);
// Holds it back. `report` is called with the finding if it turns out to be a race.
void hold_guess(const race &r, const std::string &finding, uint32_t pc, uint32_t other_pc);
// Are any held back?
extern bool guesses;
// No guess of these threads of the running block can come true any more; or of anyone.
void end_guesses(const unsigned *ranks, size_t count);
void end_all_guesses();

// Of check_pairs.cc: the race between these places of the running kernel, as it was found.
void report_pair(uint32_t pc, uint32_t other_pc, const std::string &finding);

}  // namespace check
}  // namespace smux_cpu
