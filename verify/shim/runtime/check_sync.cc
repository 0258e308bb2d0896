#include "check_sync.h"

#include <algorithm>
#include <deque>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "check.h"
#include "check_clock.h"

namespace smux_cpu {
namespace check {
namespace {

constexpr unsigned everyone = ~0u;

// What a block has told by one word.
struct told {
    uint32_t stamp;
    unsigned rank;         // the thread that told; everyone: take all its block did up to the tick as told
    uint32_t tick, floor;  // of the others, up to floor
};

struct sync_point {
    uint32_t stamp = 0;  // the block that `last` belongs to
    moment last;
    std::vector<told> by_blocks;  // in the order of first telling
    bool in_order = true;         // ... which is that of the stamps
    uint32_t heard_stamp = 0;     // the block whose list of what it heard has this point at heard_at
    unsigned heard_at = 0;
};

// Addresses of words to points. Open addressing, because every atomic looks here.
class point_table {
public:
    point_table() { clear(); }
    void clear() {
        points_.clear();
        slots_.assign(1024, {0, 0});
    }
    bool empty() const { return points_.empty(); }
    // An atomic of 8 bytes meets those of the same 8. nowhere where there is none, or no room for one.
    unsigned find(uintptr_t address) const {
        const slot &s = slots_[place(address / 4)];
        return s.word ? s.point : nowhere;
    }
    unsigned find_or_add(uintptr_t address) {
        unsigned there = find(address);
        if (there != nowhere || points_.size() == most_points) return there;
        if (points_.size() * 2 >= slots_.size()) grow();
        slots_[place(address / 4)] = {address / 4, unsigned(points_.size())};
        points_.emplace_back();
        return unsigned(points_.size() - 1);
    }
    static constexpr unsigned nowhere = ~0u;
    static constexpr size_t most_points = size_t(1) << 20;
    sync_point &operator[](unsigned i) { return points_[i]; }
    size_t size() const { return points_.size(); }

private:
    struct slot { uintptr_t word; unsigned point; };
    size_t place(uintptr_t word) const {
        size_t mask = slots_.size() - 1, i = size_t(word * 0x9e3779b97f4a7c15u >> 20) & mask;
        while (slots_[i].word && slots_[i].word != word) i = (i + 1) & mask;
        return i;
    }
    void grow() {
        std::vector<slot> old(slots_.size() * 2, slot{0, 0});
        old.swap(slots_);
        for (const slot &s : old)
            if (s.word) slots_[place(s.word)] = s;
    }
    std::vector<slot> slots_;
    std::deque<sync_point> points_;
};

struct news {
    point_table points;
    // By stamp of the hearing block: which points, and how many entries of each.
    std::unordered_map<uint32_t, std::vector<heard>> ears;
    size_t entries = 0;      // told and heard
    unsigned generation = 0;
    bool forgetful = false;  // there were too many: take unheard things as heard
};
constexpr size_t most_entries = size_t(1) << 23;  // some 200 MB

news &all() {
    static auto *it = new news;
    return *it;
}

void hear(unsigned index, sync_point &p) {
    // Nothing but its own telling: nothing to hear.
    if (p.by_blocks.empty() || (p.by_blocks.size() == 1 && p.by_blocks[0].stamp == block->stamp)) return;
    if (all().entries >= most_entries) {
        all().forgetful = true;
        return;
    }
    if (!block->ears || block->ears_generation != all().generation) {
        block->ears = &all().ears[block->stamp];
        block->ears_generation = all().generation;
    }
    auto &list = *block->ears;
    unsigned count = unsigned(p.by_blocks.size());
    if (p.heard_stamp == block->stamp && p.heard_at < list.size() && list[p.heard_at].point == index) {
        list[p.heard_at].count = count;
        return;
    }
    p.heard_stamp = block->stamp;
    p.heard_at = unsigned(list.size());
    list.push_back({index, count});
    all().entries++;
}

void tell(sync_point &p) {
    const knowledge &k = block->threads[now.rank];
    bool plain = !k.block && !k.warp && k.warp_floor <= k.floor;
    told t = {block->stamp, plain ? now.rank : everyone, block->tick, k.floor};
    if (!p.by_blocks.empty() && p.by_blocks.back().stamp == block->stamp) {
        if (p.by_blocks.back().rank != t.rank) t.rank = everyone;
        p.by_blocks.back() = t;
        return;
    }
    if (all().entries >= most_entries) {
        all().forgetful = true;
        return;
    }
    if (!p.by_blocks.empty() && p.by_blocks.back().stamp > t.stamp) p.in_order = false;
    p.by_blocks.push_back(t);
    all().entries++;
}

bool covers(const told &t, unsigned rank, uint32_t tick) {
    return tick <= (t.rank == everyone || t.rank == rank ? t.tick : t.floor);
}

// Looks among the first `count` entries of a point for the doings of a block.
bool told_by(const sync_point &p, unsigned count, uint32_t stamp, unsigned rank, uint32_t tick) {
    auto begin = p.by_blocks.begin(), end = begin + count;
    if (p.in_order)
        begin = std::lower_bound(begin, end, stamp, [](const told &t, uint32_t s) { return t.stamp < s; });
    for (auto t = begin; t != end; ++t) {
        if (t->stamp == stamp && covers(*t, rank, tick)) return true;
        if (p.in_order && t->stamp != stamp) break;
    }
    return false;
}

}  // namespace

void begin_sync() {
    if (all().points.empty() && all().ears.empty()) return;
    all().points.clear();
    all().ears.clear();
    all().generation++;
    all().entries = 0;
    all().forgetful = false;
}

void strong_access(const void *address, bool writes, bool between_blocks) {
    point_table &points = all().points;
    unsigned index = writes ? points.find_or_add(uintptr_t(address)) : points.find(uintptr_t(address));
    if (index == point_table::nowhere) {
        if (!writes) return;  // nobody has told anything here
        // Too many words. From now on all that was done counts as known.
        all().forgetful = true;
        block->threads[now.rank].floor = block->tick;
        advance();
        return;
    }
    sync_point &p = points[index];
    if (p.stamp == block->stamp) learn(p.last);
    if (between_blocks) hear(index, p);
    if (!writes) return;
    if (block->exact) {
        p.last = this_moment();
    } else {  // nobody will ask what it knew
        p.last.rank = now.rank;
        p.last.tick = block->tick;
    }
    p.stamp = block->stamp;
    if (between_blocks) tell(p);
    advance();
}

// A search over "who heard from whom", first the blocks heard from directly. It ends in "yes" when it takes too
// long: better to miss a race than to make one up.
bool heard_of(uint32_t stamp, unsigned rank, uint32_t tick) {
    auto mine = all().ears.find(block->stamp);
    if (mine == all().ears.end()) return all().forgetful;
    if (all().forgetful) return true;
    std::vector<uint32_t> open = {block->stamp};
    std::unordered_set<uint32_t> seen = {block->stamp};
    size_t steps = 0;
    for (size_t next = 0; next < open.size(); next++) {
        auto ear = all().ears.find(open[next]);
        if (ear == all().ears.end()) continue;
        for (const heard &h : ear->second)
            if (told_by(all().points[h.point], h.count, stamp, rank, tick)) return true;
        for (const heard &h : ear->second) {
            const sync_point &p = all().points[h.point];
            for (unsigned i = 0; i < h.count; i++) {
                if (++steps > 20000) return true;
                if (seen.insert(p.by_blocks[i].stamp).second) open.push_back(p.by_blocks[i].stamp);
            }
        }
    }
    return false;
}

}  // namespace check
}  // namespace smux_cpu
