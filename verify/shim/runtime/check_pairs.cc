// Races as they are reported: each pair of places once per kernel.
//
// Several threads that write the same value to one word are a race, but one that programs often mean ("found =
// true"). The report says so ("same":true) when all writes of a pair wrote what stood there already. What a write
// writes is seen only after it, so such a pair is judged at the next access, and held back until the launch ends. So are
// pairs of volatile accesses, which are none to a word that some thread waits for in a loop.
#include <cstring>
#include <unordered_map>
#include <vector>

#include "check_guess.h"
#include "check_race.h"
#include "check_sync.h"

namespace smux_cpu {
namespace check {

bool unjudged;

namespace {

struct places {
    unsigned kernel;
    uint32_t pc, other;
    bool operator==(const places &o) const { return kernel == o.kernel && pc == o.pc && other == o.other; }
};
struct hash_places {
    size_t operator()(const places &p) const {
        return ((uint64_t(p.pc) << 32 | p.other) ^ uint64_t(p.kernel) << 20) * 0x9e3779b97f4a7c15u >> 16;
    }
};

struct pair_of_places {
    bool reported = false;
    bool differs = false;   // not all wrote the same
    std::string held_back;  // the first occurrence, while all wrote the same, or of volatile accesses
    bool of_volatile = false;
    const void *word = nullptr;  // of those, where one of them reads
};
std::unordered_map<places, pair_of_places, hash_places> &pairs() {
    static auto *all = new std::unordered_map<places, pair_of_places, hash_places>;
    return *all;
}
unsigned kernel;  // number of the running one

// The write that is about to happen, what stands there now, and the pairs that depend on what it will be.
struct {
    const void *address;
    size_t bytes;
    char before[64];
    std::vector<places> pairs;
} write_to_judge;

uint3 index_of(uint32_t stamp) { return block_of(linear_of_stamp(stamp)); }

bool is_volatile(const race &f) { return f.how.strong == strength::is_volatile && strength_of(f.other) == strength::is_volatile; }

record &add_access(record &r, bool write, strength strong) {
    return r.flag("write", write).flag("atomic", strong >= strength::in_block).flag("volatile", strong == strength::is_volatile);
}

record finding(const race &f) {
    if (f.other < quick.launch) return stream_race(f.other, f.other_writes, f.address, f.bytes, f.how.write, f.where);
    record r(is_volatile(f) ? "volatile-race" : "race");
    const strength other = strength_of(f.other);
    add_access(r.here(), f.how.write, f.how.strong);
    if (f.how.is_strong() && other != strength::weak && !is_volatile(f)) r.text("text", "an operation of block scope is atomic only to threads of its block");
    describe(r, f.address, f.bytes, f.where);
    record second(nullptr);
    uintptr_t pc = f.other_pc;
    second.index("block", index_of(occasion_of(f.other).stamp)).index("thread", thread_of(rank_of(f.other))).pcs(&pc, 1);
    add_access(second, f.other_writes, other);
    r.object("other", second);
    return r;
}

}  // namespace

// Several may be found of one access: with other threads, and in each of its words. None of them is judged before
// the next access begins, since only then has this one happened.
void race_found(const race &f) {
    places at = {kernel, f.pc, f.other_pc};
    auto known_pair = pairs().find(at);
    if (known_pair != pairs().end() && known_pair->second.reported) return;
    const bool earlier = f.other < quick.launch;
    const occasion then = occasion_of(f.other);
    if (heard_of(then.stamp, rank_of(f.other), then.tick)) return;

    const bool reads = !f.how.write || !f.other_writes;
    if (!earlier && is_volatile(f) && !reads && heard_by_word(f.address, then.stamp, rank_of(f.other))) return;
    if (!earlier && is_volatile(f) && reads && is_flag(f.address, f.how.write, then.stamp == block->stamp)) return;
    if (!earlier && may_be_guess(f)) return hold_guess(f, finding(f).json(), f.pc, f.other_pc);
    pair_of_places &pair = pairs()[at];
    bool may_be_same = !earlier && f.how.write && f.other_writes && f.how.strong == strength_of(f.other) && f.how.strong <= strength::is_volatile && f.bytes <= sizeof write_to_judge.before;
    if (!earlier && is_volatile(f)) {
        pair.differs = pair.differs || !may_be_same;
        pair.of_volatile = true;
        if (reads) pair.word = f.address;
    } else if (!may_be_same) {
        pair.reported = true;
        pair.held_back.clear();
        finding(f).write();
        return;
    }
    if (pair.held_back.empty()) pair.held_back = finding(f).json();
    if (!may_be_same) return;
    write_to_judge.pairs.push_back(at);
    if (unjudged) return;
    write_to_judge.address = f.address;
    write_to_judge.bytes = f.bytes;
    memcpy(write_to_judge.before, f.address, f.bytes);
    unjudged = true;
    set_quick();
}

void report_pair(uint32_t pc, uint32_t other_pc, const std::string &finding) {
    pair_of_places &pair = pairs()[{kernel, pc, other_pc}];
    if (pair.reported) return;
    pair.reported = true;
    pair.held_back.clear();
    record::ready_made(finding).write();
}

void judge() {
    unjudged = false;
    set_quick();
    const bool same = memcmp(write_to_judge.address, write_to_judge.before, write_to_judge.bytes) == 0;
    for (const places &at : write_to_judge.pairs) {
        pair_of_places &pair = pairs()[at];
        if (same || pair.reported) continue;
        pair.differs = true;
        if (pair.of_volatile) continue;
        pair.reported = true;
        record::ready_made(pair.held_back).write();
        pair.held_back.clear();
    }
    write_to_judge.pairs.clear();
}

void begin_pairs(const char *name) {
    static auto *numbers = new std::unordered_map<std::string, unsigned>;
    kernel = numbers->emplace(name ? name : "", unsigned(numbers->size())).first->second;
}

void flush() {
    if (unjudged) judge();
    end_all_guesses();
    for (auto &entry : pairs()) {
        pair_of_places &pair = entry.second;
        if (pair.reported || pair.held_back.empty()) continue;
        record r = record::ready_made(pair.held_back);
        pair.held_back.clear();
        if (pair.word && is_waited_for(pair.word)) continue;
        pair.reported = true;
        if (!pair.differs) r.flag("same", true).text("text", "the same value");
        r.write();
    }
}

}  // namespace check
}  // namespace smux_cpu
