#include "order.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>

namespace smux_cpu {
namespace {

// splitmix64's finishing step: every bit of x changes half of the result.
uint64_t mix(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

order read_order() {
    const char *s = getenv("SMUX_ORDER");
    if (s && strncmp(s, "descending", 10) == 0) return {direction::descending, 0, random_numbers(0)};
    if (s && strncmp(s, "random", 6) == 0) {
        uint64_t seed = s[6] == ':' ? strtoull(s + 7, nullptr, 10) : 1;
        return {direction::random, seed, random_numbers(mix(seed + 1))};
    }
    return {direction::ascending, 0, random_numbers(0)};
}

}  // namespace

uint64_t random_numbers::next() { return mix(state_ += 0x9e3779b97f4a7c15u); }

order &chosen_order() {
    static order chosen = read_order();
    return chosen;
}

void order::arrange(unsigned *ranks, size_t count) {
    switch (kind) {
    case direction::ascending:  // which they are in already, most of the time
        if (!std::is_sorted(ranks, ranks + count)) std::sort(ranks, ranks + count);
        break;
    case direction::descending:
        if (!std::is_sorted(ranks, ranks + count, std::greater<unsigned>()))
            std::sort(ranks, ranks + count, std::greater<unsigned>());
        break;
    case direction::random:
        for (size_t i = count; i > 1; i--) std::swap(ranks[i - 1], ranks[numbers.below(uint32_t(i))]);
        break;
    }
}

uint64_t order::block(uint64_t k, uint64_t blocks, unsigned launch) const {
    if (kind == direction::ascending) return k;
    if (kind == direction::descending) return blocks - 1 - k;
    // A Feistel network permutes the numbers of 2h bits, whatever its round function; walking on until the
    // result is below `blocks` makes that a permutation of these.
    int h = 1;
    while (h < 31 && uint64_t(1) << 2 * h < blocks) h++;
    uint64_t half = (uint64_t(1) << h) - 1;
    do {
        uint64_t left = k >> h, right = k & half;
        for (uint64_t round = 0; round < 4; round++) {
            uint64_t next = left ^ (mix(right + (round << 32) + mix(seed * 0x10001 + launch)) & half);
            left = right;
            right = next;
        }
        k = left << h | right;
    } while (k >= blocks);
    return k;
}

}  // namespace smux_cpu
