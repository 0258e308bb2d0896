// Where threads give way without waiting: so that code that spins, for a lock or a flag, comes to an end.
#include "explore.h"
#include "schedule.h"
#include "switch.h"

namespace smux_cpu {
namespace {

constexpr unsigned patience = 32;  // calls between two switches
unsigned calls;
bool result_unused;  // of the next atomic

// What the running thread may still read to see whether it has waited long enough: some in the condition of a loop, or else
// one in its body.
constexpr unsigned reads_of_condition = 4;
struct {
    unsigned reads, block, rank;
    bool mine() const { return reads > 0 && block == now.block && rank == now.rank; }
} waiting;
// Yields of each thread after which a block lets others run. One that goes on is checked for less, so it takes long.
constexpr unsigned long_turn = 2048, short_turn = 64;

}  // namespace

// A thread that yields lets every other one run first, also those that have not begun: one of them may be what
// it waits for.
void yield_at(const void *site, void *frame) {
    if (exploring) return await_turn(site, frame);
    block &b = *active;
    thread &t = b.threads[now.rank];
    t.site = site;
    t.frame = frame;
    make_ready(b, now.rank);
    // Where those that can run have done nothing but yield for a while, they may wait for another block. So may
    // those that meet at barriers meanwhile, where that goes on for long: while (!__syncthreads_or(ready)) {}.
    bool fruitless = ++b.fruitless_yields > patience * 4 * b.ready.size();
    if (++b.yields > (b.went_on ? short_turn : long_turn) * b.size) fruitless = true;
    if (fruitless && b.started == b.size && b.may_be_set_aside) {
        b.fruitless_yields = b.yields = 0;
        b.went_on = true;
        b.set_aside = true;
        hand_over(b, nobody);
        return;
    }
    hand_over(b, b.started < b.size ? b.start[b.started++] : b.ready.take());
}

void maybe_yield() {
    if (smux_cpu_in_kernel && (exploring || ++calls % patience == 0))
        yield_at(__builtin_return_address(0), __builtin_frame_address(0));
}

bool in_waiting_loop() {
    if (!waiting.mine()) return false;
    waiting.reads--;
    return true;
}

}  // namespace smux_cpu

using namespace smux_cpu;

void smux_cpu_yield() {
    if (smux_cpu_in_kernel) yield_at(__builtin_return_address(0), __builtin_frame_address(0));
}

void smux_cpu_spin() {
    maybe_yield();
    waiting = {reads_of_condition, now.block, now.rank};
}

void smux_cpu_spun() {
    if (waiting.mine()) waiting.reads = waiting.reads == reads_of_condition ? 1 : 0;
}

void smux_cpu_result_unused() { result_unused = true; }

// Many atomics in a row on one word look like a lock that is held; others now and then, so that no pattern of
// spinning goes on for ever. The checker hears of the access after that, just before it is made.
void smux_cpu_atomic(const void *address, size_t bytes, char kind, int order) {
    static const void *last;
    static unsigned same, any;
    if (!smux_cpu_in_kernel) return;
    const bool used = !result_unused;
    result_unused = false;
    if (exploring) {
        await_step(address, bytes, (used && kind != 'r') || kind == 's' || kind == 'x' || kind == 'c' ? 'w' : kind, __builtin_return_address(0));
        return check::atomic(address, bytes, kind, order, __builtin_return_address(0));
    }
    same = address == last ? same + 1 : 0;
    last = address;
    if (same >= patience || ++any % 1024 == 0) {
        same = 0;
        yield_at(__builtin_return_address(0), __builtin_frame_address(0));
    }
    check::atomic(address, bytes, kind, order, __builtin_return_address(0));
}
