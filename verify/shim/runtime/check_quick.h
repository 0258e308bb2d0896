// Inside the checker: the quick answer for most accesses of a kernel, which lie at multiples of their size, in memory whose
// words are known to be inside of an allocation (or, shared ones, to be written by the block), behind all that their shadow
// remembers by one comparison each. It is the answer of the runtime's check_access.h where it has one; what it can't tell takes the long way.
//
// A few nanoseconds here are most of what the checked build takes: so all that it needs lies together in one place, and
// nothing here uses a floating-point register, which a kernel's code can keep (smux_cpu/access_hooks.h).
#pragma once
#include <cstddef>
#include <cstdint>

#include "smux_cpu/abi.h"

namespace smux_cpu {
namespace check {

constexpr unsigned word = 4;

// One access, as a number: when, by which thread of the block, how strong, which bytes of the word, and the place in the
// program, in units of 4 bytes, which is less than a call takes. Times differ from block to block of a launch, and grow (check_clock.h). 0: none.
//   time 26 | rank 10 | strength 2 | mask 4 | place 22
typedef uint64_t mark;
constexpr unsigned place_bits = 22, mask_at = 22, strong_at = 26, rank_at = 28, time_at = 38, time_bits = 26;
constexpr mark all_bytes = mark(15) << mask_at;
constexpr mark of_rank = mark(1023) << rank_at;

// What is remembered of a memory, by word: its last write, its last read and the read before, by another thread where it
// can be. Apart from each other, since much memory is only read, or only written.
struct shadow_memory { mark *write, *read, *older; };

// Of shared memory, which is small, they lie at a known distance: so many marks.
constexpr size_t shared_most = size_t(68) << 20;  // bytes of the arena
constexpr size_t shared_apart = shared_most / word;

// What is remembered of 256 bytes of device memory: 0 until they are known to be inside of an allocation as a whole; then the
// mark of the first write of a launch, or `armed` if there was none. Where they belong to one in part, its words have an armed write.
constexpr uintptr_t granule = 256;
constexpr mark armed = all_bytes;

// What is asked for each access, as marks hold it, and where the memory lies.
struct alignas(64) quick_state {
    mark mine;                   // of an access by the running thread to a whole word, but for its place
    mark mine_at_zero;           // ... of one at address 0
    mark earlier;                // those below are of earlier launches; 0 is none
    mark launch;                 // those below are of earlier launches, too, but may not be ordered with this one
    mark earlier_less;           // ... less 1: below it is a mark of those, less 1, unless there is none
    mark block;                  // the first one of the running block
    mark known;                  // from there on as many are known to the running thread
    mark leftover;               // those below in shared memory are of other blocks
    uintptr_t global_low, global_bytes;  // none: each access takes the long way
    mark *granules;
    shadow_memory global;
    uintptr_t shared_low, shared_bytes;  // the same
    shadow_memory shared;
    uintptr_t all_shared_bytes;
    uintptr_t variables_low, variables_bytes;  // of the program: each access takes the long way
    bool elsewhere;              // nothing is to be done for accesses to other memory than that
};
extern quick_state quick;

#if defined(__x86_64__) && !defined(__clang__)
#define SMUX_CPU_QUICK inline __attribute__((always_inline, target("general-regs-only")))
#else
#define SMUX_CPU_QUICK inline __attribute__((always_inline))
#endif

// Is what a mark tells of done by the running thread, or known to it? False: ask ordered(), which looks further.
SMUX_CPU_QUICK bool is_known(const quick_state &q, mark m) {
    return __builtin_expect(m - q.block <= q.known, 1) || (m >= q.block && ((m ^ q.mine) & of_rank) == 0);
}

// Of an access to some bytes of a word, or to words of which the same is remembered but for places, where no unknown write is
// before it. False: nothing was done, or nothing that can't be done again.
template <bool Shared, bool Write, unsigned Words>
SMUX_CPU_QUICK bool quick_word(mark *write, mark *read, mark *older, mark touched, const void *return_address) {
    const quick_state &q = quick;
    const mark last = Write ? *write : *read, before = Shared ? q.leftover : q.earlier, differs = last ^ q.mine;
    const bool whole = touched == all_bytes, same = differs < mark(1) << (whole ? mask_at : strong_at);
    // The same once more, and nothing happened in between that would not have been found from the other side.
    if (same && (whole || (last & touched) == touched)) return true;
    if (Write) {
        if (*read >= before && !(Words == 1 && is_known(q, *read) && (*older < before || is_known(q, *older)))) return false;
    } else if (Shared || last >= before) {  // of shared memory leftovers do no harm as the one before
        // A thread's own earlier read is in no race that the later one is not in; of device memory it may be another block's.
        const bool others = (differs & of_rank) != 0 || (!Shared && last < q.block);
        if (__builtin_expect(others, 1) || (!whole && !same && (last & all_bytes & ~touched)))
            for (unsigned i = 0; i < Words; i++) older[i] = read[i];
    }
    mark now = q.mine_at_zero + (uintptr_t(return_address) >> 2);
    if (!whole) now = (now & ~all_bytes) | touched | (same ? last & all_bytes : 0);
    for (unsigned i = 0; i < Words; i++) (Write ? write : read)[i] = now;
    return true;
}

// Without a division: marks lie as far from the first as their size says.
SMUX_CPU_QUICK mark *marks_at(mark *first, uintptr_t at) {
    return reinterpret_cast<mark *>(reinterpret_cast<char *>(first) + at * (sizeof(mark) / word));
}

// Of N bytes, `at` bytes from the beginning of a memory.
template <bool Shared, size_t N, bool Write>
SMUX_CPU_QUICK bool quick_words(const shadow_memory &shadow, uintptr_t at, const void *return_address) {
    const quick_state &q = quick;
    const mark touched = N < word ? mark((1u << N) - 1) << (mask_at + at % word) : all_bytes;
    if (N < word) at -= at % word;
    mark *const write = marks_at(shadow.write, at);
    mark *const read = Shared ? write + shared_apart : marks_at(shadow.read, at), *const older = Shared ? read + shared_apart : marks_at(shadow.older, at);
    mark *const of = Shared ? nullptr : q.granules + at / granule;
    const bool unwritten = !Shared && *of - 1 < q.earlier_less;
    if (unwritten && Write) *of = q.mine;
    constexpr unsigned words = N < word ? 1 : N / word;
    if (words > 1 && unwritten) {
        bool alike = true;
        for (unsigned i = 1; i < words; i++) alike = alike && (read[i] ^ read[0]) >> mask_at == 0;
        if (alike && quick_word<Shared, Write, words>(write, read, older, touched, return_address)) return true;
    }
    for (unsigned i = 0; i < words; i++) {
        // What the block has written before is neither out of bounds nor uninitialised.
        if (Shared && !(is_known(q, write[i]) && (write[i] & touched) == touched)) return false;
        if (!Shared && __builtin_expect(!unwritten, 0) && !(*of ? write[i] < q.earlier : write[i] - 1 < q.earlier_less) && !is_known(q, write[i])) return false;
        if (!quick_word<Shared, Write, 1>(write + i, read + i, older + i, touched, return_address)) return false;
    }
    return true;
}

// False: the runtime is to be asked.
template <size_t N, bool Write> SMUX_CPU_QUICK bool quick_access(const void *p, const void *return_address) {
    const quick_state &q = quick;
    const uintptr_t at = uintptr_t(p);
    if (N > 1 && at % (N < 8 ? N : 8) != 0) return false;
    if (at - q.global_low < q.global_bytes)
        return smux_cpu_in_kernel && quick_words<false, N, Write>(q.global, at - q.global_low, return_address);
    if (at - q.shared_low < q.shared_bytes)
        return quick_words<true, N, Write>(q.shared, at - q.shared_low, return_address);
    return q.elsewhere && at - q.variables_low >= q.variables_bytes && at - q.shared_low >= q.all_shared_bytes;
}

}  // namespace check
}  // namespace smux_cpu
