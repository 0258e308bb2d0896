// The threads of the running block and who runs next. Threads give way only where they wait or yield; the
// released ones queue up, and a thread that has not begun runs when nobody else can, so that a kernel without
// barriers needs one stack.
#pragma once
#include <string>
#include <vector>

#include "async.h"
#include "engine.h"
#include "fiber.h"
#include "order.h"

namespace smux_cpu {

constexpr unsigned most_threads = 1024;

enum class state : uint8_t { fresh, ready, running, parked, at_barrier, at_warp, at_grid, ended };  // parked: see explore.h

struct warp_operation;

struct thread {
    uint3 index;
    state what;
    uint8_t barrier;            // at_barrier: which
    bool passes;                // at_barrier: arrives only, and waits for its warp
    fiber *stack;
    const void *site;           // where it waits: return address of the call, and that call's frame
    void *frame;
    uintptr_t place;            // at_barrier: stands for site and the calls around it
    warp_operation *operation;  // at_warp
    int votes, voters;          // result of the last barrier with a predicate
    unsigned together;          // result of smux_cpu_active_lanes: lanes, this one included
    bool gathers;               // in smux_cpu_active_lanes, and has no result yet
    bool at_end;                // has run to the end of the kernel's text, and not left it earlier
    async_copies copies, bulk;
    long long time;             // since the launch began: see clock.cc
};

// Ranks of ready threads, first in, first out. Each is in it at most once.
class run_queue {
public:
    bool empty() const { return head_ == tail_; }
    unsigned size() const { return tail_ - head_; }
    unsigned take() { return ranks_[head_++ % most_threads]; }
    void bring_forward(unsigned k) { std::swap(ranks_[head_ % most_threads], ranks_[(head_ + k) % most_threads]); }
    void add(unsigned rank) { ranks_[tail_++ % most_threads] = uint16_t(rank); }
    void clear() { head_ = tail_ = 0; }
private:
    unsigned head_ = 0, tail_ = 0;
    uint16_t ranks_[most_threads];
};

// One of the sixteen barriers, in its present phase.
struct barrier {
    bool used = false;           // somebody has come
    bool mixed = false;          // waiters called from different places
    uintptr_t place = 0;         // of the first waiter
    bool voting = false;         // somebody came with a predicate
    unsigned count = 0;          // threads expected, a multiple of 32; 0: all that live
    unsigned arrived = 0;        // count 0: threads; else 32 for each warp of which all live threads have come
    int votes = 0;
    const void *site = nullptr;  // of the first waiter
    const void *arrival = nullptr;  // of the last one who only arrived: place and rank
    unsigned arriver = 0;
    unsigned lanes[32] = {};     // per warp: threads that have come, while the warp is not complete
    unsigned partial = 0;        // bit per warp that has come in part
    std::vector<unsigned> waiting;   // ranks, in the order in which they came
    std::vector<unsigned> passing;   // ranks that arrive, and wait until their warp is complete
    std::vector<unsigned> arrivals;  // the checker's tickets of those that arrived
};

struct warp {
    unsigned live;            // lanes that exist and have not ended
    warp_operation *pending;  // operations that miss a lane, linked
};

// A block from its first thread to its last. There are several only while some are set aside, waiting for others.
struct block {
    unsigned linear = 0;
    uint3 index = {};
    unsigned size = 0, live = 0, at_grid = 0;
    unsigned at_end = 0;            // threads that have ended at the end of the kernel's text
    unsigned used_barriers = 0;     // bit per barrier that is not empty
    unsigned fruitless_yields = 0;  // since something last happened
    unsigned yields = 0;            // since it last began or went on
    bool went_on = false;           // it was set aside before
    bool may_be_set_aside = false;  // if all its threads only yield: other blocks can run
    bool set_aside = false;
    unsigned started = 0;
    dim3 shape = dim3(0, 0, 0);     // of what the threads' indices were computed for
    std::vector<unsigned> start;    // ranks in the order in which threads begin
    std::vector<thread> threads;
    std::vector<warp> warps;
    run_queue ready;
    barrier barriers[16];
    std::vector<async_copy> tied;   // copies that belong to a cuda::barrier
};

extern block *active;               // null in host code
// Barriers and warp operations passed, threads ended: what a program that only spins does not do.
extern volatile unsigned long progress;

// Gets the block ready to run from its beginning.
void prepare_block(block &b, unsigned linear, unsigned size);
// Runs its threads from the host's stack until none can run (all ended or wait) or it is set aside.
void run_block(block &b);

inline void make_running(block &b, unsigned rank) {
    thread &t = b.threads[rank];
    t.what = state::running;
    threadIdx = t.index;
    now.rank = rank;
    if (check::on) check::thread_runs();
}

constexpr unsigned nobody = ~0u;

inline unsigned next_thread(block &b) {
    if (!b.ready.empty()) {
        // Threads that were made ready earlier need not run earlier: a hand-over to one v-TB may overtake
        // what the others still have to do.
        static const bool random = chosen_order().kind == direction::random;
        if (random && b.ready.size() > 1) b.ready.bring_forward(chosen_order().numbers.below(b.ready.size()));
        return b.ready.take();
    }
    if (b.started < b.size) return b.start[b.started++];
    return nobody;
}

inline void make_ready(block &b, unsigned rank) {
    b.threads[rank].what = state::ready;
    b.ready.add(rank);
}

// Makes them ready in the chosen order; empties the list.
inline void release(block &b, std::vector<unsigned> &ranks) {
    chosen_order().arrange(ranks.data(), ranks.size());
    for (unsigned rank : ranks) make_ready(b, rank);
    ranks.clear();
    b.fruitless_yields = 0;
    progress = progress + 1;
}

// Its asynchronous copies where it ends, and what it has not waited for is never made; where it is set aside, or goes on.
void drop_copies(block &b);
void set_copies_aside(const block &b);
void resume_copies(const block &b);

// A finding for a barrier that threads meet after others have run past it, to the end of the kernel's text.
void report_missed(const block &b, const thread &first);

// A finding for barriers at which threads have arrived and nobody waits when the block has ended.
void report_left_over(const block &b);

// Lets every other thread run first. site and frame are of the call that yields.
void yield_at(const void *site, void *frame);

// What a thread waits for in a warp operation, in words.
std::string warp_wait(const warp_operation *o, unsigned live);

// What must be looked at when a thread has ended: it may have been the last one that others waited for.
void barriers_without(block &b, unsigned rank);
void warps_without(block &b, unsigned rank);

// Who waits where, as the report's "waiters": threads of one state and call stack are one entry.
std::string waiters(const block &b);
// The call stack that begins in a frame, whose own call is left out. Innermost first.
int backtrace_from(void *frame, const fiber *on, uintptr_t *pcs, int most);
// A number that stands for that stack.
uintptr_t stack_number(const void *frame, const fiber *on);
// In a signal handler: the interrupted place, from which backtrace() goes on instead of from its caller.
struct interruption {
    uintptr_t pc, sp;
    void *frame;
    bool by_timer = false;  // anywhere, so also in a function that has made no frame yet
};
extern const interruption *interrupted;
// Does an address lie in the executable's own code?
bool in_executable(uintptr_t pc);

}  // namespace smux_cpu
