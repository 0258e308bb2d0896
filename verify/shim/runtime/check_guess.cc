#include "check_guess.h"

#include <algorithm>
#include <vector>

#include "check_access.h"

namespace smux_cpu {
namespace check {

bool guesses;

namespace {

struct guess {
    uint32_t stamp;
    unsigned rank;  // of the reader
    const void *address;
    uint32_t pc, other_pc;
    std::string finding;
};

std::vector<guess> &held() {
    static auto *all = new std::vector<guess>;
    return *all;
}

// The thread's plain reads of a word count as strong from now on.
void strengthen(const shadow_memory &s, size_t w) {
    for (mark *m : {&s.read[w], &s.older[w]})
        if (of_running_block(*m) && rank_of(*m) == now.rank) *m |= mark(strength::everywhere) << strong_at;
}

void strengthen_reads(const void *p, size_t bytes) {
    const char *c = static_cast<const char *>(p);
    if (c >= global_arena.low && c < global_arena.high) {
        each_word(size_t(c - global_arena.low), bytes, [](size_t w, unsigned) {
            if (w < global_bytes_covered() / word) strengthen(global_shadow, w);
        });
    } else if (c >= shared_arena.low && c < shared_arena.high) {
        each_word(size_t(c - shared_arena.low), bytes, [](size_t w, unsigned) { strengthen(shared_shadow, w); });
    } else if (c >= variables.low && c < variables.high) {
        each_word(size_t(c - variables.low), bytes, [](size_t w, unsigned) { strengthen(variable_shadow, w); });
    }
}

// Takes those that are asked for out of the list, and reports them if they were none.
template <class F> void settle(bool report, F &&which) {
    auto &all = held();
    auto end = std::stable_partition(all.begin(), all.end(), [&](const guess &g) { return !which(g); });
    if (report)
        for (auto g = end; g != all.end(); ++g) report_pair(g->pc, g->other_pc, g->finding);
    all.erase(end, all.end());
    guesses = !all.empty();
}

}  // namespace

bool may_be_guess(const race &r) {
    bool other_strong = strength_of(r.other) != strength::weak;
    if (!r.how.write && !r.how.is_strong()) return r.other_writes && other_strong;
    return r.how.write && r.how.is_strong() && !r.other_writes && !other_strong;
}

void hold_guess(const race &r, const std::string &finding, uint32_t pc, uint32_t other_pc) {
    bool mine = !r.how.write;
    uint32_t stamp = mine ? block->stamp : occasion_of(r.other).stamp;
    unsigned rank = mine ? now.rank : rank_of(r.other);
    held().push_back({stamp, rank, r.address, pc, other_pc, finding});
    guesses = true;
}

void end_guesses(const unsigned *ranks, size_t count) {
    settle(true, [&](const guess &g) { return g.stamp == block->stamp && std::find(ranks, ranks + count, g.rank) != ranks + count; });
}

void end_all_guesses() {
    settle(true, [](const guess &) { return true; });
}

}  // namespace check
}  // namespace smux_cpu

using namespace smux_cpu;
using namespace smux_cpu::check;

void smux_cpu_guessed(const void *address, size_t bytes) {
    if (!on || !check::block || !smux_cpu_in_kernel || !checks.race) return;
    strengthen_reads(address, bytes);
    if (guesses) settle(false, [&](const guess &g) { return g.stamp == check::block->stamp && g.rank == now.rank && g.address == address; });
}
