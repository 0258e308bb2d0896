// In which order threads and blocks run: SMUX_ORDER=ascending, descending or random:SEED.
#pragma once
#include <cstddef>
#include <cstdint>

namespace smux_cpu {

enum class direction { ascending, descending, random };

// A small generator of its own: a seed must mean the same on every machine.
class random_numbers {
public:
    explicit random_numbers(uint64_t seed) : state_(seed) {}
    uint64_t next();
    uint32_t below(uint32_t n) { return uint32_t((next() >> 32) * n >> 32); }
private:
    uint64_t state_;
};

struct order {
    direction kind;
    uint64_t seed;
    random_numbers numbers;  // for threads

    // Puts ranks of one block, any subset, into the order in which they are to run.
    void arrange(unsigned *ranks, size_t count);
    // The k-th of `blocks` blocks to run in the launch of this number: a permutation in bounded memory.
    uint64_t block(uint64_t k, uint64_t blocks, unsigned launch) const;
};

order &chosen_order();

}  // namespace smux_cpu
