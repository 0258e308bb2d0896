#include "check_clock.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "check.h"
#include "check_guess.h"
#include "check_race.h"
#include "check_streams.h"
#include "check_sync.h"

namespace smux_cpu {
namespace check {

block_state *block;
quick_state quick;
unsigned era;

namespace {

// From `time` on a block ran whose tick was `tick` then.
struct period { uint32_t time, stamp, tick; };
std::vector<period> &periods() {  // of this launch
    static auto *all = new std::vector<period>;
    return *all;
}
std::vector<period> &old_periods() {  // before
    static auto *all = new std::vector<period>;
    return *all;
}
constexpr size_t most_old_periods = size_t(1) << 22;
uint32_t last_time, earliest = 1;  // ... since all blocks of this launch have met
constexpr uint32_t most_times = (1u << time_bits) - 1;
constexpr mark at_time(uint32_t time) { return mark(time) << time_at; }

}  // namespace

void begin_times() {
    periods().clear();
    old_periods().clear();
    last_time = 0;
    earliest = 1;
    era++;
    forget_operations();
}

uint32_t earliest_time() { return earliest; }

bool periods_matter, periods_lost;
void forget_old_periods() {
    old_periods().clear();
    periods_matter = periods_lost = false;
}

bool times_run_low() { return last_time > most_times / 2; }

void order_times() {
    earliest = last_time + 1;
    if (periods_matter) old_periods().insert(old_periods().end(), periods().begin(), periods().end());
    if (old_periods().size() > most_old_periods) periods_lost = true, old_periods().clear();
    periods().clear();
}

// Races with what came before are missed.
static void have_time() {
    if (last_time < most_times) return;
    forget_cells();
    begin_times();
}

uint32_t begin_operation_time() {
    have_time();
    periods().push_back({++last_time, 0, 0});
    quick.earlier = at_time(earliest);
    quick.launch = at_time(last_time);
    return last_time;
}

void begin_period() {
    have_time();
    periods().push_back({++last_time, block->stamp, block->tick});
    set_present();
}

occasion occasion_of(mark m) {
    const uint32_t time = uint32_t(m >> time_at);
    const std::vector<period> &all = periods().empty() || time < periods().front().time ? old_periods() : periods();
    if (all.empty()) return {0, 0};
    if (time >= all.back().time) return {all.back().stamp, all.back().tick + (time - all.back().time)};
    auto after = std::upper_bound(all.begin(), all.end(), time, [](uint32_t t, const period &p) { return t < p.time; });
    if (after == all.begin()) return {0, 0};
    const period &p = *(after - 1);
    return {p.stamp, p.tick + (time - p.time)};
}

void advance() {
    if (block->tick < most_ticks) {
        block->tick++;
        if (last_time == most_times) return begin_period();
        last_time++;
    }
    set_present();
}

void set_present() {
    const period &p = periods().back();
    quick.mine = at_time(last_time) | mark(now.rank) << rank_at | all_bytes;
    quick.mine_at_zero = quick.mine - (place_base >> 2);
    quick.earlier = at_time(earliest);
    quick.earlier_less = quick.earlier - 1;
    quick.block = at_time(p.time);
    quick.leftover = block->resumed ? 0 : quick.block;
    const uint32_t floor = now.rank < block->threads.size() ? block->threads[now.rank].floor : 0;
    quick.known = floor < p.tick ? 0 : at_time(floor - p.tick) | (at_time(1) - 1);
}

void thread_runs() {
    if (block) set_present();
}

namespace {

// Bodies that nobody refers to, by size. A run has few sizes: 32 and its block sizes.
struct { void *first[most_threads_of_a_block / 32 + 1]; } spare;

// The larger of two, element by element, in groups of four for the vector unit.
typedef int32_t four __attribute__((vector_size(16), aligned(4), may_alias));

void raise(uint32_t *to, const uint32_t *by, unsigned count) {
    for (unsigned i = 0; i < count; i += 4) {
        four a = *reinterpret_cast<const four *>(to + i), b = *reinterpret_cast<const four *>(by + i);
        four larger = a > b;  // ticks have 21 bits, so signed compares will do
        *reinterpret_cast<four *>(to + i) = (a & larger) | (b & ~larger);
    }
}

unsigned rounded(unsigned count) { return (count + 31) / 32 * 32; }

// Sums up what several threads know.
class gathering {
public:
    gathering() { memset(at_, 0, rounded(block->size) * sizeof *at_); }
    void add(const knowledge &k, unsigned rank) {
        if (k.floor > floor) floor = k.floor;
        if (k.heard) heard_ = join(heard_, k.heard);
        if (k.block && k.block.values() != last_block_) raise(at_, last_block_ = k.block.values(), block->size);
        unsigned warp = rank / 32 * 32;
        if (k.warp_floor > 0 && (warp != last_warp_ || k.warp_floor != last_floor_)) {
            last_warp_ = warp;
            last_floor_ = k.warp_floor;
            for (unsigned i = warp; i < warp + 32; i++) tell(i, k.warp_floor);
        }
        if (k.warp && k.warp.values() != last_lanes_) raise(at_ + warp, last_lanes_ = k.warp.values(), 32);
    }
    void tell(unsigned rank, uint32_t tick) {
        if (tick > at_[rank]) at_[rank] = tick;
    }
    knowledge result() const {
        knowledge k;
        k.floor = floor;
        k.block = ticks::copy_of(at_, block->size);
        k.heard = heard_;
        return k;
    }
    uint32_t floor = 0;

private:
    uint32_t at_[most_threads_of_a_block];
    // Threads of one warp or group mostly refer to the same vectors: each need be looked at once.
    const uint32_t *last_block_ = nullptr, *last_lanes_ = nullptr;
    unsigned last_warp_ = ~0u;
    uint32_t last_floor_ = 0;
    news heard_;
};

// All of them have heard what any has.
void share_news(const unsigned *waiters, size_t waiting) {
    if (!any_news) return;
    news all;
    for (size_t i = 0; i < waiting; i++) all = join(all, block->threads[waiters[i]].heard);
    for (size_t i = 0; i < waiting; i++) block->threads[waiters[i]].heard = all;
}

void meet_all(const unsigned *waiters, size_t waiting) {
    for (size_t i = 0; i < waiting; i++) {
        knowledge &k = block->threads[waiters[i]];
        k.floor = block->tick;
        k.warp_floor = 0;
        k.block.clear();
        k.warp.clear();
    }
}

// Lanes of one warp that knew the same of other warps. False where they did not.
bool meet_in_warp(const unsigned *waiters, size_t waiting) {
    const knowledge &first = block->threads[waiters[0]];
    unsigned warp = waiters[0] / 32, mask = 0;
    bool same_lanes = true;
    uint32_t floor = 0;
    for (size_t i = 0; i < waiting; i++) {
        const knowledge &k = block->threads[waiters[i]];
        if (waiters[i] / 32 != warp || k.floor != first.floor || k.block != first.block) return false;
        mask |= 1u << waiters[i] % 32;
        same_lanes &= k.warp == first.warp;
        if (k.warp_floor > floor) floor = k.warp_floor;
    }
    if ((mask & block->lanes[warp]) == block->lanes[warp]) {
        for (size_t i = 0; i < waiting; i++) {
            knowledge &k = block->threads[waiters[i]];
            k.warp_floor = block->tick;
            k.warp.clear();
        }
        return true;
    }
    uint32_t lanes[32] = {};
    for (size_t i = 0; i < (same_lanes ? 1 : waiting); i++) {
        const knowledge &k = block->threads[waiters[i]];
        if (k.warp) raise(lanes, k.warp.values(), 32);
    }
    for (size_t i = 0; i < waiting; i++) lanes[waiters[i] % 32] = block->tick;
    ticks together = ticks::copy_of(lanes, 32);
    for (size_t i = 0; i < waiting; i++) {
        knowledge &k = block->threads[waiters[i]];
        k.warp_floor = floor;
        k.warp = together;
    }
    return true;
}

void meet_some(const unsigned *waiters, size_t waiting, const unsigned *tickets, size_t arriving) {
    gathering all;
    for (size_t i = 0; i < waiting; i++) all.add(block->threads[waiters[i]], waiters[i]);
    for (size_t i = 0; i < arriving; i++) {
        moment &m = block->arrivals[tickets[i]];
        all.add(m.known, m.rank);
    }
    // Telling comes after adding: vectors are compared by address to see whether they were added already.
    for (size_t i = 0; i < waiting; i++) all.tell(waiters[i], block->tick);
    for (size_t i = 0; i < arriving; i++) all.tell(block->arrivals[tickets[i]].rank, block->arrivals[tickets[i]].tick);
    knowledge together = all.result();
    for (size_t i = 0; i < waiting; i++) block->threads[waiters[i]] = together;
    for (size_t i = 0; i < arriving; i++) {
        block->arrivals[tickets[i]].known = knowledge();
        block->used_tickets.push_back(tickets[i]);
    }
}

}  // namespace

ticks ticks::copy_of(const uint32_t *values, unsigned count) {
    unsigned room = rounded(count);
    auto *b = static_cast<ticks_body *>(spare.first[room / 32]);
    if (b) {
        spare.first[room / 32] = b->next;
    } else {
        b = static_cast<ticks_body *>(malloc(offsetof(ticks_body, at) + room * sizeof *values));
        if (!b) abort();
        b->count = room;
    }
    b->references = 0;
    memcpy(b->at, values, count * sizeof *values);
    memset(b->at + count, 0, (room - count) * sizeof *values);
    return ticks(b);
}

void ticks_body::recycle(ticks_body *b) {
    b->next = static_cast<ticks_body *>(spare.first[b->count / 32]);
    spare.first[b->count / 32] = b;
}

bool knows_of(const knowledge &me, unsigned mine, unsigned rank, uint32_t tick) {
    if (mine / 32 == rank / 32) {
        if (tick <= me.warp_floor) return true;
        if (me.warp && tick <= me.warp[rank % 32]) return true;
    }
    return me.block && tick <= me.block[rank];
}

moment this_moment() {
    moment m;
    m.known = block->threads[now.rank];
    m.rank = now.rank;
    m.tick = block->tick;
    return m;
}

void learn(unsigned rank, const moment &m) {
    if (known(rank, m.rank, m.tick)) return;  // knowing that of the other thread means knowing what it knew
    knowledge &me = block->threads[rank];
    if (block->exact == 0) {
        me.floor = m.tick > me.floor ? m.tick : me.floor;
        return;
    }
    block->exact--;
    gathering both;
    both.add(me, rank);
    both.add(m.known, m.rank);
    both.tell(m.rank, m.tick);
    me = both.result();
}

moment moment_of(const std::vector<const moment *> &moments) {
    gathering all;
    for (const moment *m : moments) all.add(m->known, m->rank);
    for (const moment *m : moments) all.tell(m->rank, m->tick);
    moment together = *moments[0];
    together.known = all.result();
    return together;
}

void begin_clocks(unsigned threads) {
    block->size = block->live = threads;
    block->tick = 1;
    block->resumed = block->forgot = false;
    block->exact = exact_learnings;
    block->threads.assign(threads, knowledge());
    block->tellings.clear();
    block->arrivals.clear();
    block->used_tickets.clear();

    for (unsigned w = 0; w < 32; w++) {
        unsigned lanes = threads > w * 32 ? threads - w * 32 : 0;
        block->lanes[w] = lanes >= 32 ? ~0u : (1u << lanes) - 1;
    }
}

void meet(const unsigned *waiters, size_t waiting, const unsigned *arrivers, size_t arriving, meeting how) {
    if (!on || !block) return;
    if (guesses) end_guesses(waiters, waiting);
    meet_fences(waiters, waiting, how);
    share_news(waiters, waiting);
    bool all = arriving == 0 && waiting == block->live && (how == meeting::of_block || block->live == block->size);
    if (all) meet_all(waiters, waiting);
    else if (arriving != 0 || waiting == 0 || !meet_in_warp(waiters, waiting)) meet_some(waiters, waiting, arrivers, arriving);
    advance();
}

unsigned arrive(unsigned rank) {
    if (!on || !block) return 0;
    moment m;
    m.known = block->threads[rank];
    m.rank = rank;
    m.tick = block->tick;
    advance();
    if (block->used_tickets.empty()) {
        block->arrivals.push_back(std::move(m));
        return unsigned(block->arrivals.size() - 1);
    }
    unsigned ticket = block->used_tickets.back();
    block->used_tickets.pop_back();
    block->arrivals[ticket] = std::move(m);
    return ticket;
}

void thread_exit(unsigned rank) {
    if (!on || !block) return;
    if (guesses) end_guesses(&rank, 1);
    block->live--;
    block->lanes[rank / 32] &= ~(1u << rank % 32);
}

}  // namespace check
}  // namespace smux_cpu
