// Inside the checker: shared memory that is read before anyone in the block has written it, and device memory that still holds
// what it held when it was fresh.
// Modelled: Memory that nobody wrote | shared; device memory by a word that no `cudaMemset` makes; local variables by the output of two builds | managed memory, words written in part, local variables that no output shows
#pragma once
#include <cstdint>

#include "check.h"
#include "check_clock.h"

namespace smux_cpu {
namespace check {

// Which bytes of a word of shared memory the block has written.
struct written_word { uint32_t stamp; uint32_t mask; };
extern written_word *written_words;

void begin_uninitialised();
void forget_written();
void uninitialised_read(const void *p, size_t bytes, uint32_t pc, space where, const char *text = nullptr);

inline void wrote_shared(size_t word_number, unsigned mask) {
    written_word &w = written_words[word_number];
    if (w.stamp != block->stamp) w = {block->stamp, 0};
    w.mask |= mask;
}

// Bytes of a word that the block has written.
inline unsigned written_mask(size_t word_number) {
    const written_word &w = written_words[word_number];
    return w.stamp == block->stamp ? w.mask : 0;
}

}  // namespace check
}  // namespace smux_cpu
