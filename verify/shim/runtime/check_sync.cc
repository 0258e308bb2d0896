#include "check_sync.h"

#include <algorithm>
#include <deque>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "check.h"
#include "check_clock.h"
#include "check_race.h"

namespace smux_cpu {
namespace check {

bool any_news;

namespace {

enum class kind_of_news : uint8_t {
    message,   // what a thread did and knew at a moment
    link,      // of what was told by one word: a message, and what was told before
    acquired,  // what was told by one word, heard by a block, and what the thread had heard before
    several,   // both
};

struct node : news_base {
    kind_of_news what;
    bool in_block = false;   // only between threads of the same block
    bool plain = false;      // a link: neither it nor those before it are in_block
    uint32_t stamp = 0;      // the block that told, or that acquired
    uint32_t seen = 0;       // by the last search
    moment from;             // of a message
    news first, second;
};

node *at(const news &n) { return static_cast<node *>(n.get()); }

// Addresses of words to what was told by them. Open addressing, because every atomic looks here.
class point_table {
public:
    point_table() { clear(); }
    void clear() {
        points_.clear();
        slots_.assign(1024, {0, 0});
    }
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
    news &operator[](unsigned i) { return points_[i]; }

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
    std::deque<news> points_;
};

constexpr size_t most_nodes = size_t(1) << 20;  // some 130 MB
size_t nodes;
uint32_t searches;

struct state {
    point_table points;
    std::unordered_set<const void *> flags;
    bool forgetful = false;  // there was too much news: take unheard things as heard
    // By word: what the host hears there. It outlives the launch.
    struct host_word { news told; uint32_t before; };
    std::unordered_map<uintptr_t, host_word> host_words;
    bool host_forgets = false;
    // All messages that can be reached from one root, by the block that told.
    news root;
    std::unordered_map<uint32_t, std::vector<const node *>> messages;
};
state &all() {
    static auto *it = new state;
    return *it;
}

news make(kind_of_news what, uint32_t stamp, bool in_block, const news &first, const news &second) {
    if (nodes == most_nodes) {
        all().forgetful = true;
        return {};
    }
    nodes++;
    auto *n = new node;
    n->references = 0;
    n->what = what;
    n->stamp = stamp;
    n->in_block = in_block;
    n->first = first;
    n->second = second;
    n->plain = !in_block && (!second || at(second)->plain);
    return news(n);
}

news message_of(const moment &m) {
    news told = make(kind_of_news::message, block->stamp, false, m.known.heard, {});
    if (told) at(told)->from = m;
    any_news = true;
    return told;
}

bool covers(const moment &m, unsigned rank, uint32_t tick) {
    return tick <= m.known.floor || (rank == m.rank && tick <= m.tick) || knows_of(m.known, m.rank, rank, tick);
}

// Does who hears a message hear at least what was told by a word before?
bool tells_all(const node &message, const news &told, bool in_block) {
    const node &head = *at(told), &before = *at(head.first);
    const node *heard = at(message.from.known.heard);
    if (!in_block && head.plain && heard && heard->what == kind_of_news::acquired && heard->first == told && !heard->in_block) return true;
    return head.stamp == message.stamp && !head.second && (head.in_block || !in_block) && covers(message.from, before.from.rank, before.from.tick) &&
           (!before.from.known.heard || before.from.known.heard == message.from.known.heard);
}

void tell(news &told, const news &message, bool in_block) {
    if (!message) return;
    const node *head = at(told);
    if (head && head->first == message && head->in_block <= in_block) return;
    const bool all_of_it = head && tells_all(*at(message), told, in_block);
    told = make(kind_of_news::link, block->stamp, in_block, message, all_of_it ? news() : told);
}

void acquire(unsigned rank, const news &told, bool in_block) {
    const node &head = *at(told);
    if (head.stamp == block->stamp) {
        learn(rank, at(head.first)->from);
        if (!head.second) return;
    }
    news &heard = block->threads[rank].heard;
    const node *last = at(heard);
    if (last && last->what == kind_of_news::acquired && last->first == told && last->in_block <= in_block) return;
    heard = make(kind_of_news::acquired, block->stamp, in_block, told, heard);
}

telling &mine() {
    if (block->tellings.empty()) block->tellings.resize(block->size);
    return block->tellings[now.rank];
}

// What the thread has read takes effect: it was followed by a fence, or by a barrier.
void take_effect(unsigned rank, bool in_block) {
    news &pending = block->tellings[rank].pending;
    std::vector<news> open = {pending};
    while (!open.empty()) {
        const news n = open.back();
        open.pop_back();
        if (!n) continue;
        if (at(n)->what == kind_of_news::acquired) acquire(rank, at(n)->first, in_block || at(n)->in_block);
        else open.push_back(at(n)->first);
        open.push_back(at(n)->second);
    }
    if (!in_block) pending.clear();
}

// Calls look(message) for all that can be reached, until it returns true.
template <class F> bool search(const news &root, F &&look) {
    const uint32_t search = ++searches;
    static auto &open = *new std::vector<node *>;
    open.assign(1, at(root));
    auto later = [&](const news &n) { if (n && at(n)->seen != search) open.push_back(at(n)); };
    while (!open.empty()) {
        node &n = *open.back();
        open.pop_back();
        if (n.seen == search) continue;
        n.seen = search;
        if (n.what == kind_of_news::message) {
            if (look(n)) return true;
            later(n.first);
            continue;
        }
        later(n.second);
        if (n.what == kind_of_news::several) later(n.first);
        if (n.what != kind_of_news::acquired) continue;
        for (node *link = at(n.first); link; link = at(link->second)) {
            if ((link->in_block || n.in_block) && link->stamp != n.stamp) continue;
            if (link->plain && !n.in_block) {
                if (link->seen == search) break;
                link->seen = search;
            }
            later(link->first);
        }
    }
    return false;
}

// Most is found at once. Else all messages are laid out by block, for the searches of this root that follow.
bool is_in(const news &root, uint32_t stamp, unsigned rank, uint32_t tick) {
    if (!root) return false;
    unsigned steps = 0;
    bool found = false;
    if (all().root != root) {
        const bool stopped = search(root, [&](const node &m) {
            found = m.stamp == stamp && covers(m.from, rank, tick);
            return found || ++steps == 64;
        });
        if (found || !stopped) return found;
        all().messages.clear();
        all().root = root;
        search(root, [&](const node &m) {
            all().messages[m.stamp].push_back(&m);
            return false;
        });
    }
    auto of = all().messages.find(stamp);
    if (of == all().messages.end()) return false;
    for (const node *m : of->second)
        if (covers(m->from, rank, tick)) return true;
    return false;
}

}  // namespace

// Chains may be long, so not by recursion.
void news_base::recycle(news_base *n) {
    static auto &ends = *new std::vector<news_base *>;
    static bool busy;
    ends.push_back(n);
    if (busy) return;
    busy = true;
    while (!ends.empty()) {
        auto *last = static_cast<node *>(ends.back());
        ends.pop_back();
        delete last;
        nodes--;
    }
    busy = false;
}

news join(const news &a, const news &b) {
    if (!a || a == b) return b;
    auto has = [](const news &all, const news &one) { return at(all)->what == kind_of_news::several && (at(all)->first == one || at(all)->second == one); };
    if (!b || has(a, b)) return a;
    if (has(b, a)) return b;
    return make(kind_of_news::several, 0, false, a, b);
}

// A strong write to memory that the host can read.
void tell_host(const void *address, const news &message) {
    int kind = 1;  // of a variable
    smux_cpu_find_allocation(address, nullptr, nullptr, &kind);
    if (kind == 0) return;
    state::host_word &w = all().host_words[uintptr_t(address) / 4];
    tell(w.told, message, false);
    w.before = earliest_time();
    periods_matter = true;
}

void begin_sync() {
    if (!any_news && all().flags.empty()) return;
    any_news = false;
    all().points.clear();
    all().flags.clear();
    all().root.clear();
    all().messages.clear();
    all().forgetful = false;
}

bool news_were_forgotten() { return all().forgetful; }

void strong_access(const void *address, manner how, bool between_blocks) {
    const bool in_block = !between_blocks || (how.order & ordering::in_block);
    const bool reads = !how.blind || how.exchanges, writes = how.write && !how.undecided;
    const telling *fenced = block->tellings.empty() ? nullptr : &block->tellings[now.rank];
    const bool tells = writes && ((how.order & ordering::release) || (fenced && fenced->fences[to_block]));
    if (tells && all().forgetful) all().host_forgets = true;
    if (writes && !reads && between_blocks && !all().host_words.empty()) all().host_words.erase(uintptr_t(address) / 4);
    if ((!tells && !any_news) || all().forgetful) return;
    point_table &points = all().points;
    const unsigned index = tells ? points.find_or_add(uintptr_t(address)) : points.find(uintptr_t(address));
    if (index == point_table::nowhere) {
        if (tells) all().forgetful = all().host_forgets = true;  // too many words
        return;
    }
    news &told = points[index];
    // Shared memory of another block lay there before.
    if (!between_blocks && told && at(told)->stamp != block->stamp) told.clear();
    if (reads && told) {
        if (how.order & ordering::acquire) {
            acquire(now.rank, told, in_block);
        } else {
            news &pending = mine().pending;
            if (!pending || at(pending)->first != told) pending = make(kind_of_news::acquired, block->stamp, in_block, told, pending);
        }
    }
    if (!writes) return;
    if (!reads) told.clear();
    news of_system;
    if (how.order & ordering::release) {
        of_system = message_of(this_moment());
        tell(told, of_system, in_block);
        advance();
    } else if (tells) {
        of_system = fenced->fences[to_host];
        if (!in_block) tell(told, fenced->fences[to_device], false);
        if (in_block || fenced->fences[to_block] != fenced->fences[to_device]) tell(told, fenced->fences[to_block], true);
    }
    if (of_system && between_blocks && (how.order & ordering::in_system)) tell_host(address, of_system);
}

void meet_fences(const unsigned *waiters, size_t waiting, meeting how) {
    if (block->tellings.empty()) return;
    for (size_t i = 0; i < waiting; i++)
        if (how != meeting::of_warp && block->tellings[waiters[i]].pending) take_effect(waiters[i], false);
    news pending;
    if (how == meeting::of_warp) {
        for (size_t i = 0; i < waiting; i++) pending = join(pending, block->tellings[waiters[i]].pending);
        for (size_t i = 0; i < waiting; i++) block->tellings[waiters[i]].pending = pending;
    }
    for (int reach = 0; reach < reaches; reach++) {
        std::vector<const moment *> fenced;
        news together;
        bool alike = true;
        for (size_t i = 0; i < waiting; i++) {
            const news &f = block->tellings[waiters[i]].fences[reach];
            alike = alike && f == block->tellings[waiters[0]].fences[reach];
            if (!f || f == together) continue;
            fenced.push_back(&at(f)->from);
            together = f;
        }
        if (alike) continue;
        if (fenced.size() > 1) together = message_of(moment_of(fenced));
        for (size_t i = 0; i < waiting; i++) block->tellings[waiters[i]].fences[reach] = together;
    }
}

void tell_of_grid() {
    telling all;
    all.fences[to_host] = all.fences[to_device] = all.fences[to_block] = message_of(moment());
    block->tellings.assign(block->size, all);
}

bool heard_of(uint32_t stamp, unsigned rank, uint32_t tick) {
    if (!any_news) return false;
    if (all().forgetful || is_in(block->threads[now.rank].heard, stamp, rank, tick)) return true;
    if (block->exact) return false;
    // Some may have been learned without what came with it: see learn.
    const news *last = nullptr;
    for (const knowledge &k : block->threads) {
        if ((!last || k.heard != *last) && is_in(k.heard, stamp, rank, tick)) return true;
        last = &k.heard;
    }
    return false;
}

bool is_flag(const void *address, bool by_me, bool same_block) {
    if (all().flags.count(address)) return true;
    if (by_me) return !block->tellings.empty() && block->tellings[now.rank].fences[same_block ? to_block : to_device];
    const unsigned index = all().points.find(uintptr_t(address));
    const node *told = index == point_table::nowhere ? nullptr : at(all().points[index]);
    return told && (same_block || !told->in_block);
}
bool heard_by_word(const void *address, uint32_t stamp, unsigned rank) {
    const unsigned index = all().points.find(uintptr_t(address));
    const node *told = index == point_table::nowhere ? nullptr : at(all().points[index]);
    if (!told || told->stamp != stamp) return false;
    const moment &m = at(told->first)->from;
    return m.rank == rank && ((stamp == block->stamp && known(now.rank, rank, m.tick)) || is_in(block->threads[now.rank].heard, stamp, rank, m.tick));
}
void host_hears(const void *address, host_news &to) {
    const auto of = all().host_words.find(uintptr_t(address) / 4);
    to.forgotten = to.forgotten || all().host_forgets;
    if (of == all().host_words.end()) return;
    const news &told = of->second.told;
    if (!to.heard || at(to.heard)->first != told) to.heard = make(kind_of_news::acquired, 0, false, told, to.heard);
    to.before = std::max(to.before, of->second.before);
}
void host_news::add(const host_news &more) {
    heard = join(more.heard, heard);
    before = std::max(before, more.before);
    forgotten = forgotten || more.forgotten;
}
bool host_news::holds(mark m) const {
    if (forgotten || periods_lost || uint32_t(m >> time_at) < before) return true;
    const occasion then = occasion_of(m);
    return is_in(heard, then.stamp, rank_of(m), then.tick);
}
void forget_host_news() {
    all().host_words.clear();
    all().host_forgets = false;
    forget_old_periods();
}
bool is_waited_for(const void *address) { return all().flags.count(address) != 0; }
void waits_for(const void *address) { all().flags.insert(address); }

}  // namespace check
}  // namespace smux_cpu

using namespace smux_cpu;
using namespace smux_cpu::check;

void smux_cpu_fence(int order) {
    maybe_yield();
    if (!on || !check::block || !smux_cpu_in_kernel || !checks.race || (order & ordering::in_thread) || !(order & ordering::acq_rel)) return;
    const bool in_block = order & ordering::in_block;
    telling &me = mine();
    if ((order & ordering::acquire) && me.pending) take_effect(now.rank, in_block);
    if (!(order & ordering::release)) return;
    me.fences[to_block] = message_of(this_moment());
    if (!in_block) me.fences[to_device] = me.fences[to_block];
    if (order & ordering::in_system) me.fences[to_host] = me.fences[to_block];
    advance();
}

void smux_cpu_swapped(const void *address, int order) {
    if (!on || !check::block || !smux_cpu_in_kernel || !checks.race || (order & ordering::in_thread)) return;
    const char *c = static_cast<const char *>(address);
    if (c >= shared_arena.low && c < shared_arena.high) return strong_access(address, {true, strength::everywhere, order}, false);
    if ((c >= global_arena.low && c < global_arena.high) || (c >= variables.low && c < variables.high))
        strong_access(address, {true, strength::everywhere, order}, true);
}
