// The sixteen barriers of a block, as PTX has them (bar.sync, bar.arrive, bar.red; __syncthreads is barrier 0).
//
// Without a count, all threads that live must come; each that ends lowers the number. With a count, warps are
// counted: a warp has come when all of its threads that live have, and then adds 32, even where it has fewer.
// A thread that only arrives waits until its warp is complete, no longer: the same warp can arrive again, which counts again.
#include <algorithm>
#include <set>

#include "explore.h"
#include "report.h"
#include "schedule.h"
#include "switch.h"

namespace smux_cpu {
namespace {

std::string number(long long n) { return std::to_string(n); }

[[noreturn]] void bad(unsigned id, const std::string &text) {
    record("bad-barrier").here().text("text", "barrier " + number(id) + ": " + text).fatal();
}

// A rewrite's mistake is seldom alone, so this goes on as the hardware would, and each pair of places is reported
// once. The compiler may have made several calls of one in the source; who reads the report knows the lines.
void report_divergence(block &b, barrier &bar) {
    static auto &known = *new std::set<std::pair<uintptr_t, uintptr_t>>;
    bool unknown = false;
    for (unsigned rank : bar.waiting) {
        const uintptr_t first = bar.place, other = b.threads[rank].place;
        if (other != first && known.insert(std::minmax(first, other)).second) unknown = true;
    }
    if (unknown) record("barrier-divergence").here().array("waiters", waiters(b)).write();
}

// Threads of a warp that is not complete, and so was not counted: they wait for the next phase.
std::vector<unsigned> take_early(barrier &bar) {
    std::vector<unsigned> early;
    if (bar.partial == 0) return early;
    auto counted = [&](unsigned rank) { return !(bar.lanes[rank / 32] >> rank % 32 & 1); };
    auto cut = std::stable_partition(bar.waiting.begin(), bar.waiting.end(), counted);
    early.assign(cut, bar.waiting.end());
    bar.waiting.erase(cut, bar.waiting.end());
    return early;
}

void complete(block &b, unsigned id, barrier &bar) {
    if (bar.voting) {
        for (unsigned rank : bar.waiting) {
            b.threads[rank].votes = bar.votes;
            b.threads[rank].voters = int(bar.waiting.size());
        }
        bar.voting = false;
        bar.votes = 0;
    }
    if (bar.mixed && bar.count == 0) report_divergence(b, bar);
    if (b.at_end && bar.count == 0 && !bar.waiting.empty()) report_missed(b, b.threads[bar.waiting[0]]);
    std::vector<unsigned> early = take_early(bar);
    bar.used = !early.empty();
    bar.mixed = false;
    bar.arrived = 0;
    if (!bar.used) b.used_barriers &= ~(1u << id);
    explored_meeting(b, bar.waiting.data(), bar.waiting.size(), bar.arrivals.data(), bar.arrivals.size(), bar.count == 0 ? bar.site : nullptr);
    check::meet(bar.waiting.data(), bar.waiting.size(), bar.arrivals.data(), bar.arrivals.size(),
                bar.count == 0 ? check::meeting::of_block : check::meeting::of_some);
    bar.arrivals.clear();
    release(b, bar.waiting);
    bar.waiting.swap(early);
}

bool all_here(const block &b, const barrier &bar) {
    return bar.used && bar.count == 0 && bar.arrived == b.live;
}

// Counts warp w if it is complete at a barrier with a count.
void count_warp(block &b, unsigned id, barrier &bar, unsigned w) {
    unsigned live = b.warps[w].live;
    if (bar.lanes[w] == 0 || (bar.lanes[w] & live) != live) return;
    bar.lanes[w] = 0;
    bar.partial &= ~(1u << w);
    bar.arrived += 32;
    if (!bar.passing.empty()) {
        std::vector<unsigned> through, left;
        for (unsigned rank : bar.passing) (rank / 32 == w ? through : left).push_back(rank);
        bar.passing.swap(left);
        release(b, through);
    }
    if (bar.arrived == bar.count) complete(b, id, bar);
}

// The first to come says how many there will be.
void open(block &b, unsigned id, barrier &bar, unsigned threads) {
    unsigned whole = (b.size + 31) / 32 * 32;
    if (threads % 32 != 0) bad(id, "the count " + number(threads) + " is no multiple of 32");
    if (threads > whole) bad(id, "the count " + number(threads) + " is more than the block's " + number(b.size) + " threads");
    if (!bar.used) {
        bar.used = true;
        bar.count = threads;
        b.used_barriers |= 1u << id;
        return;
    }
    // No count at all is the same as that of the whole block.
    if ((threads ? threads : whole) != (bar.count ? bar.count : whole))
        bad(id, "threads come with the counts " + number(bar.count ? bar.count : whole) + " and " +
                    number(threads ? threads : whole));
}

// The running thread comes to a barrier, and goes on when it may.
inline __attribute__((always_inline)) thread &come(unsigned id, unsigned threads, bool passes, const void *site,
                                                   void *frame) {
    block &b = *active;
    unsigned rank = now.rank;
    if (id > 15) bad(id, "there are only the barriers 0 to 15");
    barrier &bar = b.barriers[id];
    if (!bar.used || threads != bar.count) open(b, id, bar, threads);
    thread &t = b.threads[rank];
    t.what = state::at_barrier;
    t.barrier = uint8_t(id);
    t.passes = passes;
    t.site = site;
    t.frame = frame;
    if (passes) {
        bar.arrivals.push_back(check::arrive(rank));
        explored_arrival(b, rank, bar.arrivals.back());
        bar.arriver = rank;
        bar.arrival = site;
        if (bar.count != 0) bar.passing.push_back(rank);
    } else {
        t.place = stack_number(frame, t.stack);
        if (bar.waiting.empty()) bar.site = site, bar.place = t.place;
        else if (t.place != bar.place) bar.mixed = true;
        bar.waiting.push_back(rank);
    }
    if (bar.count == 0) {
        bar.arrived++;
        if (passes) make_ready(b, rank);
        if (bar.arrived == b.live) complete(b, id, bar);
    } else {
        bar.lanes[rank / 32] |= 1u << rank % 32;
        bar.partial |= 1u << rank / 32;
        count_warp(b, id, bar, rank / 32);
    }
    wait_here(b);
    return t;
}

}  // namespace

// From Volta on the hardware waits for no thread that has ended. CUDA allows a barrier in a branch only if all threads
// of the block take it; those that left by a return are not meant. One that is missed makes others be missed.
void report_missed(const block &b, const thread &first) {
    static auto &known = *new std::set<std::string>;
    if (!known.insert(now.kernel).second) return;
    uintptr_t pcs[64];
    const int count = backtrace_from(first.frame, first.stack, pcs, 64);
    record("barrier-divergence").text("kernel", now.kernel).number("launch", now.launch).index("block", b.index)
        .index("thread", first.index).pcs(pcs, count).text("text", "GPUs since Volta go on, but CUDA does not promise it").write();
}

void barriers_without(block &b, unsigned rank) {
    for (unsigned id = 0; id < 16; id++) {
        if (!(b.used_barriers >> id & 1)) continue;
        barrier &bar = b.barriers[id];
        if (all_here(b, bar)) complete(b, id, bar);
        else if (bar.count != 0) count_warp(b, id, bar, rank / 32);
    }
}

// The hardware does not say what becomes of an arrival that nobody has waited for when the block ends.
void report_left_over(const block &b) {
    static auto &known = *new std::set<const void *>;
    for (unsigned id = 0; id < 16; id++) {
        const barrier &bar = b.barriers[id];
        if (!(b.used_barriers >> id & 1) || bar.arrived == 0 || !known.insert(bar.arrival).second) continue;
        uintptr_t pc = relative_pc(bar.arrival);
        record("bad-barrier").text("kernel", now.kernel).number("launch", now.launch).index("block", b.index)
            .index("thread", b.threads[bar.arriver].index).pcs(&pc, 1)
            .text("text", "barrier " + number(id) + ": " + number(bar.arrived) +
                              " threads have arrived, and the block ended without anyone waiting for them")
            .write();
    }
}

}  // namespace smux_cpu

using namespace smux_cpu;

// The call site is the user's: __syncthreads and its kin are inlined.
void smux_cpu_barrier_sync(unsigned id, unsigned threads) {
    come(id, threads, false, __builtin_return_address(0), __builtin_frame_address(0));
}

void smux_cpu_barrier_arrive(unsigned id, unsigned threads) {
    if (threads == 0) {
        record("bad-barrier").here().text("text", "bar.arrive without a number of threads").fatal();
    }
    come(id, threads, true, __builtin_return_address(0), __builtin_frame_address(0));
}

int smux_cpu_barrier_count(unsigned id, unsigned threads, int predicate, int *participants) {
    if (id < 16) {
        barrier &bar = active->barriers[id];
        bar.voting = true;
        bar.votes += predicate != 0;
    }
    thread &t = come(id, threads, false, __builtin_return_address(0), __builtin_frame_address(0));
    *participants = t.voters;
    return t.votes;
}

void smux_cpu_bad_barrier(const char *text) { record("bad-barrier").here().text("text", text).fatal(); }
