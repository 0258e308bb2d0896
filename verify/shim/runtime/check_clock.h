// Inside the checker: who knows of whose doings (happens-before).
//
// A block has one clock, its tick, which advances whenever threads meet or an atomic tells something. Each access
// is stamped with the tick it happened in. What a thread knows of another one is a tick, too: everything that the
// other did up to then came before. So after a full barrier, where all know all, a single number says it (floor).
// Only where fewer threads meet is there a vector, one tick per thread of the block; vectors never change once made,
// and threads that met share one. Inside a warp, short vectors of 32 ticks, or again a single number, do.
//
// At most_ticks the clock stands still. From then on races may be missed, but none is made up.
//
// Marks (check_quick.h) hold a time instead of a block and a tick: what of all blocks of a launch there are 2^26 of, one
// after the other. A block that begins, or goes on, begins a period, and its ticks are times from there on.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "engine.h"
#include "check_quick.h"

namespace smux_cpu {
namespace check {

constexpr unsigned most_threads_of_a_block = 1024;
constexpr unsigned stamp_bits = 24;
constexpr uint32_t most_ticks = (1u << 21) - 1;

// A reference to what nobody changes any more. Copies count (one OS thread runs kernels, so not atomically).
template <class Body> class reference {
public:
    reference() = default;
    explicit reference(Body *p) : p_(p) { if (p_) p_->references++; }
    reference(const reference &o) : reference(o.p_) {}
    reference(reference &&o) noexcept : p_(o.p_) { o.p_ = nullptr; }
    reference &operator=(reference o) noexcept { std::swap(p_, o.p_); return *this; }
    ~reference() { clear(); }
    void clear() {
        Body *const last = p_ && --p_->references == 0 ? p_ : nullptr;
        p_ = nullptr;
        if (last) Body::recycle(last);
    }
    Body *get() const { return p_; }
    explicit operator bool() const { return p_ != nullptr; }
    bool operator==(const reference &o) const { return p_ == o.p_; }
    bool operator!=(const reference &o) const { return p_ != o.p_; }

private:
    Body *p_ = nullptr;
};

struct ticks_body {
    unsigned references, count;
    ticks_body *next;
    uint32_t at[1];
    static void recycle(ticks_body *b);
};
class ticks : public reference<ticks_body> {
public:
    using reference::reference;
    static ticks copy_of(const uint32_t *values, unsigned count);
    uint32_t operator[](unsigned i) const { return get()->at[i]; }
    const uint32_t *values() const { return get()->at; }
};

// What a thread has heard of others by way of memory: by atomics and fences, of any block. See check_sync.cc.
struct news_base {
    unsigned references;
    static void recycle(news_base *n);
};
class news : public reference<news_base> {
    using reference::reference;
};

// What one thread knows of the others in its block: the largest that any of these says; and of all, what it has heard.
struct knowledge {
    uint32_t floor = 0;       // of all threads
    uint32_t warp_floor = 0;  // of all threads of its warp
    ticks block;              // one per thread of the block
    ticks warp;               // one per lane of its warp
    news heard;
};

// A thread at a moment: what it tells others that meet it. It knows all of itself up to the tick.
struct moment {
    knowledge known;
    unsigned rank = 0;
    uint32_t tick = 0;
};

// What a thread has to do with others by fences: messages that its next strong write tells, to the device, to its block and to
// the host; and what its strong reads would hear if a fence came.
enum reach { to_device, to_block, to_host, reaches };
struct telling { news fences[reaches], pending; };

// What is known of a shared variable: as check_race.h and check_uninitialised.h have it.
struct shadow {
    const shared_variable *of = nullptr;
    std::vector<char> write, read, older, written;
};

// The checker's view of a block that runs or is set aside.
struct block_state {
    uint32_t stamp = 0;    // different for every block of every launch, and increasing (but see new_stamp)
    unsigned linear = 0, size = 0, live = 0;
    uint32_t tick = 1;
    bool resumed = false;  // other blocks have used the shared arena in between
    bool forgot = false;   // ... and what it did there before is not known any more
    unsigned exact = 0;    // how many more times it is followed exactly what a thread learns: see learn
    std::vector<knowledge> threads;
    std::vector<telling> tellings;  // empty until one is needed
    uint32_t lanes[32] = {};       // live lanes per warp
    std::vector<shadow> kept;      // of its shared memory, while others run; only where orders are explored
    unsigned era = 0;              // ... of these times
    std::vector<moment> arrivals;  // tickets of bar.arrive
    std::vector<unsigned> used_tickets;
};
extern block_state *block;  // the running one


// Blocks of this launch have stamps from here on: what is older is ordered before everything now.
extern uint32_t first_stamp;

void begin_times();   // all marks have been forgotten: times are to be used again, in a new era
extern unsigned era;
void begin_period();  // the running block begins, or goes on
void order_times();   // all that was done up to now is ordered before what comes
uint32_t begin_operation_time();  // a launch or a copy begins: marks of its own are from there on
bool times_run_low();

uint32_t earliest_time();  // what is older is ordered before all that runs
// Periods of launches that are over are kept, for the host, which may hear of them. There may have been too many.
extern bool periods_matter, periods_lost;
void forget_old_periods();

// The block that a mark of this launch is of, by its stamp, and its tick. The running block, at least.
struct occasion { uint32_t stamp, tick; };
occasion occasion_of(mark m);

extern uintptr_t place_base;  // places count from here; a multiple of 4
void set_present();  // the block, its tick, or the running thread is another one
void set_quick();    // whether accesses may be quick, or where memory lies
void advance();

bool knows_of(const knowledge &me, unsigned mine, unsigned rank, uint32_t tick);

// Does a thread of the running block know what `rank` did at `tick`?
inline __attribute__((always_inline)) bool known(unsigned to, unsigned rank, uint32_t tick) {
    const knowledge &me = block->threads[to];
    return tick <= me.floor || rank == to || knows_of(me, to, rank, tick);
}

// A thread of the running block learns what another one knew at a moment, and all that one had done. Only the first
// thousand times in a block, which is plenty for locks and flags; then it learns instead all that anyone had done by
// then, which is as good at avoiding false alarms and takes no time.
void learn(unsigned rank, const moment &m);
constexpr unsigned exact_learnings = 1024;
moment this_moment();
moment moment_of(const std::vector<const moment *> &all);  // what all of them tell together

void begin_clocks(unsigned threads);

}  // namespace check
}  // namespace smux_cpu
