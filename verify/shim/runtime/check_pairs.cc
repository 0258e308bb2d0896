// Races as they are reported: each pair of places once per kernel.
//
// Several threads that write the same value to one word are a race, but one that programs often mean ("found =
// true"). The report says so ("same":true) when all writes of a pair wrote what stood there already. What a write
// writes is seen only after it, so such a pair is judged at the next access, and held back until the launch ends.
#include <cstring>
#include <unordered_map>

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
    std::string held_back;  // the first occurrence, while all wrote the same
};
std::unordered_map<places, pair_of_places, hash_places> &pairs() {
    static auto *all = new std::unordered_map<places, pair_of_places, hash_places>;
    return *all;
}
unsigned kernel;  // number of the running one

// The write that is about to happen, and what stands there now.
struct {
    const void *address;
    size_t bytes;
    char before[64];
    places where;
} write_to_judge;

uint3 index_of(uint32_t stamp) { return block_of(linear_of_stamp(stamp)); }

record finding(const race &f) {
    record r("race");
    r.here().flag("write", f.how.write).flag("atomic", f.how.strong);
    describe(r, f.address, f.bytes, f.where);
    record second(nullptr);
    uintptr_t pc = f.other_pc;
    second.index("block", index_of(stamp_of(f.other))).index("thread", thread_of(rank_of(f.other))).pcs(&pc, 1);
    second.flag("write", f.other_writes).flag("atomic", is_strong(f.other));
    r.object("other", second);
    return r;
}

}  // namespace

void race_found(const race &f) {
    if (unjudged) judge();
    places at = {kernel, f.pc, f.other_pc};
    auto known_pair = pairs().find(at);
    if (known_pair != pairs().end() && known_pair->second.reported) return;
    if (stamp_of(f.other) != block->stamp && heard_of(stamp_of(f.other), rank_of(f.other), tick_of(f.other))) return;

    pair_of_places &pair = pairs()[at];
    bool may_be_same = f.how.write && f.other_writes && !f.how.strong && !is_strong(f.other) && f.bytes <= sizeof write_to_judge.before;
    if (!may_be_same) {
        pair.reported = true;
        pair.held_back.clear();
        finding(f).write();
        return;
    }
    if (pair.held_back.empty()) pair.held_back = finding(f).json();
    write_to_judge.address = f.address;
    write_to_judge.bytes = f.bytes;
    write_to_judge.where = at;
    memcpy(write_to_judge.before, f.address, f.bytes);
    unjudged = true;
}

void judge() {
    unjudged = false;
    if (memcmp(write_to_judge.address, write_to_judge.before, write_to_judge.bytes) == 0) return;
    pair_of_places &pair = pairs()[write_to_judge.where];
    if (pair.reported) return;
    pair.reported = true;
    record::ready_made(pair.held_back).write();
    pair.held_back.clear();
}

void begin_pairs(const char *name) {
    static auto *numbers = new std::unordered_map<std::string, unsigned>;
    kernel = numbers->emplace(name ? name : "", unsigned(numbers->size())).first->second;
}

void flush() {
    if (unjudged) judge();
    for (auto &entry : pairs()) {
        pair_of_places &pair = entry.second;
        if (pair.reported || pair.held_back.empty()) continue;
        pair.reported = true;
        record r = record::ready_made(pair.held_back);
        r.flag("same", true).text("text", "the same value").write();
        pair.held_back.clear();
    }
}

}  // namespace check
}  // namespace smux_cpu
