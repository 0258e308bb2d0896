// Inside the checker: the shadow of each word, and the check of one access against it. In a header because every
// memory access of a kernel comes through here.
//
// Two accesses race when they touch the same byte, at least one writes, not both are strong, and neither thread knew
// of the other's doings. Each word of 4 bytes remembers its last write and its last two reads, by different threads
// where it can. That is less than everything: a race may hide behind a later access, as in every detector of this
// kind; but what is reported did happen.
#pragma once
#include <cstdint>

#include "check.h"
#include "check_clock.h"

namespace smux_cpu {
namespace check {

constexpr unsigned word = 4;

// One access, as a number: which block, when, which thread, strong or not, which bytes of the word; and the lowest
// bits of the program counter, whose others are elsewhere in the cell. 0: none.
//   stamp 24 | tick 21 | rank 10 | strong 1 | mask 4 | pc 4
typedef uint64_t mark;
constexpr unsigned low_pc_bits = 4, high_pc_bits = 21;
inline uint32_t stamp_of(mark m) { return uint32_t(m >> 40); }
inline uint32_t tick_of(mark m) { return uint32_t(m >> 19) & most_ticks; }
inline unsigned rank_of(mark m) { return unsigned(m >> 9) & 1023; }
inline bool is_strong(mark m) { return m >> 8 & 1; }
inline mark mask_bits(unsigned mask) { return mark(mask) << 4; }
// Which block, and which thread of it.
constexpr mark of_thread = ~mark(0) << 40 | mark(1023) << 9;
// Same block, tick, thread and manner.
inline bool same_doing(mark a, mark b) { return (a ^ b) >> 8 == 0; }
// The same once more, and nothing happened in between that would not have been found from the other side.
inline bool is_known(mark last, mark mine, mark touched) { return same_doing(last, mine) && (last & touched) == touched; }
static_assert(tick_bits == 21 && stamp_bits == 24, "a mark has room for these");

// What is remembered of a word. 32 bytes, so that no cell lies in two cache lines.
struct alignas(32) cell {
    mark write, read, older_read;
    uint64_t places;  // the high bits of their program counters, 21 each, from the lowest on
};

constexpr uint64_t one_place = (uint64_t(1) << high_pc_bits) - 1;
inline uint32_t pc_of(const cell &c, unsigned which, mark m) {
    return uint32_t(c.places >> which * high_pc_bits & one_place) << low_pc_bits | (m & 15);
}

// A race of the access that is about to happen with one that a cell remembers.
struct race {
    const void *address;  // of the whole access
    size_t bytes;
    manner how;
    uint32_t pc;
    space where;
    mark other;
    uint32_t other_pc;
    bool other_writes;
};
// Reports it, unless it has been reported or the two blocks turn out to be ordered (check_pairs.cc).
void race_found(const race &r);

// A write that races has been let go on, and judge() is to see what it wrote.
extern bool unjudged;
void judge();
void begin_pairs(const char *kernel);
uint32_t linear_of_stamp(uint32_t stamp);  // the block, by its linear index

template <bool Shared> inline __attribute__((always_inline)) bool ordered(mark m) {
    if ((m ^ present) >> 40 == 0) return known(rank_of(m), tick_of(m));
    // Blocks don't share shared memory: another one's stamp there is a leftover.
    return Shared || stamp_of(m) < first_stamp;
}

template <bool Shared> inline __attribute__((always_inline)) bool conflicts(mark other, mark touched, manner how) {
    return (other & touched) && !(how.strong && is_strong(other)) && __builtin_expect(!ordered<Shared>(other), 0);
}

// With the which-th mark of a cell: 0 write, 1 read, 2 older read.
inline __attribute__((noinline, cold)) void race_in_cell(const cell &c, unsigned which, manner how, uint32_t pc, const void *address, size_t bytes, space where) {
    mark other = which == 0 ? c.write : which == 1 ? c.read : c.older_read;
    race_found({address, bytes, how, pc, where, other, pc_of(c, which, other), which == 0});
}

// Enters an access with its mark. last is that of the last one of its kind.
inline __attribute__((always_inline)) void remember(cell &c, mark last, mark mine, mark touched, bool write, uint32_t pc) {
    const bool same = same_doing(last, mine);
    const mark bytes = last & mask_bits(15), differs = last ^ mine;
    if (same) mine |= bytes;
    if (write) {
        c.write = mine;
        c.places = (c.places & ~one_place) | pc >> low_pc_bits;
        return;
    }
    uint64_t places = c.places;
    if (!same && ((differs & of_thread) || (bytes & ~touched))) {
        c.older_read = last;
        places = (places & one_place) | (places >> high_pc_bits & one_place) << 2 * high_pc_bits;
    }
    c.read = mine;
    c.places = (places & ~(one_place << high_pc_bits)) | uint64_t(pc >> low_pc_bits) << high_pc_bits;
}

// The access touches the bytes of mask of this cell's word.
template <bool Shared>
inline __attribute__((always_inline)) void check_word(cell &c, unsigned mask, manner how, uint32_t pc, const void *address, size_t bytes, space where) {
    mark touched = mask_bits(mask);
    mark mine = present | mark(now.rank) << 9 | mark(how.strong) << 8 | touched | (pc & 15);
    mark last = how.write ? c.write : c.read;
    if (is_known(last, mine, touched)) return;

    if (conflicts<Shared>(c.write, touched, how)) race_in_cell(c, 0, how, pc, address, bytes, where);
    if (how.write) {
        if (conflicts<Shared>(c.read, touched, how)) race_in_cell(c, 1, how, pc, address, bytes, where);
        if (conflicts<Shared>(c.older_read, touched, how)) race_in_cell(c, 2, how, pc, address, bytes, where);
    }
    remember(c, last, mine, touched, how.write, pc);
}

// ---- where the cells are (check_shadow.cc)
void reserve_cells();         // after the global arena
void reserve_shared_cells();  // after the shared arena
void renew_chunks();
void forget_cells();          // all: stamps are to be used again
extern cell *shared_cells;     // of the whole shared arena
extern cell *variable_cells;   // of the executable's variables
extern arena variables;
constexpr size_t chunk = 65536;  // bytes of device memory whose cells come and go together
extern cell **global_chunks;     // null where there is none yet
// Where a word's cell is in its chunk. Columns of matrices lie at strides of powers of two; their cells, eight times as
// far apart, would all want the same few lines of the cache, so the order inside a chunk is shuffled a little.
inline size_t slot(size_t word_number) {
    return (word_number & (chunk / word - 1)) ^ ((word_number >> 8 ^ word_number >> 14) & 63);
}
// Makes the cells of a chunk; null when there is no more shadow memory in this launch.
cell *make_chunk(size_t number);
// Is this word of the executable's data a variable of the program?
extern uint8_t *program_variable;  // per word: 0 not known yet, 1 yes, 2 no
bool find_program_variable(size_t word_number);
inline bool is_program_variable(size_t number) {
    uint8_t v = program_variable[number];
    return v == 1 || (v == 0 && find_program_variable(number));
}

}  // namespace check
}  // namespace smux_cpu
