// Inside the checker: the quick answer for most accesses of a kernel, which lie at multiples of their size, inside of an
// allocation or of shared memory that the block has written, behind all that their cells remember by one comparison
// each. It is check_access.h's answer where it has one; what it can't tell takes the long way there.
//
// A few nanoseconds here are most of what the checked build takes, so all that it needs lies together in one place.
#pragma once
#include <cstdint>

#include "check_access.h"

namespace smux_cpu {
namespace check {

// Is what a mark tells of known to the running thread? False: ask ordered(), which looks further.
inline __attribute__((always_inline)) bool of_block_and_known(mark m) { return m - quick.block <= quick.known || ((m ^ quick.mine) & of_thread) == 0; }

template <bool Shared> inline __attribute__((always_inline)) bool surely_ordered(mark m) {
    return of_block_and_known(m) || m < (Shared ? quick.block : quick.earlier);  // another block's in shared memory: a leftover
}

// False: nothing was done, or nothing that can't be done again.
template <bool Shared, bool Write>
inline __attribute__((always_inline)) bool quick_word(cell &c, unsigned mask, uint32_t pc) {
    const mark touched = mask_bits(mask), mine = quick.mine | touched | (pc & 15), last = Write ? c.write : c.read;
    // What the block has written before is neither out of bounds nor uninitialised.
    if (Shared && !(of_block_and_known(c.write) && (c.write & touched) == touched)) return false;
    if (is_known(last, mine, touched)) return true;
    if (!Shared && !surely_ordered<false>(c.write)) return false;
    if (Write && !(surely_ordered<Shared>(c.read) && surely_ordered<Shared>(c.older_read))) return false;
    remember(c, last, mine, touched, Write, pc);
    return true;
}

// False: access() is to be asked.
template <size_t N, bool Write> inline __attribute__((always_inline)) bool quick_access(const void *p, const void *return_address) {
    if (uintptr_t(p) % (N < 8 ? N : 8) != 0) return false;
    const char *c = static_cast<const char *>(p);
    constexpr unsigned words = N < word ? 1 : N / word;
    const unsigned mask = N < word ? ((1u << N) - 1) << uintptr_t(p) % word : 15;
    const size_t in_global = size_t(c - quick.global_low);
    if (in_global < quick.global_bytes) {
        // Inside of one granule, and so of one chunk.
        if (!smux_cpu_in_kernel || in_global % granule + N > valid_bytes[in_global / granule]) return false;
        cell *const cells = global_chunks[in_global / chunk];
        if (!cells) return false;
        for (unsigned i = 0; i < words; i++)
            if (!quick_word<false, Write>(cells[slot(in_global / word + i)], mask, place_of(return_address))) return false;
        return true;
    }
    const size_t in_shared = size_t(c - quick.shared_low);
    if (in_shared < quick.shared_bytes) {
        cell *const cells = quick.shared;
        if (!cells) return false;
        for (unsigned i = 0; i < words; i++)
            if (!quick_word<true, Write>(cells[in_shared / word + i], mask, place_of(return_address))) return false;
        return true;
    }
    if (!quick.elsewhere) return false;
    const size_t in_variables = size_t(c - variables.low);
    return in_variables >= size_t(variables.high - variables.low) || program_variable[in_variables / word] == 2;
}

}  // namespace check
}  // namespace smux_cpu
