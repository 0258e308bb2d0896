#include "schedule.h"

#include <setjmp.h>

#include "grid.h"
#include "switch.h"

uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;
__thread bool smux_cpu_in_kernel;

namespace smux_cpu {

running now;
totals total;
block *active;
volatile unsigned long progress;

void prepare_block(block &b, unsigned linear, unsigned size) {
    b.linear = linear;
    b.index = block_of(linear);
    b.size = b.live = size;
    b.at_end = 0;
    b.at_grid = b.started = b.used_barriers = b.fruitless_yields = b.yields = 0;
    b.set_aside = b.went_on = false;
    b.ready.clear();
    for (barrier &bar : b.barriers)
        if (bar.used) bar = barrier();
    bool same = b.shape.x == blockDim.x && b.shape.y == blockDim.y && b.shape.z == blockDim.z;
    if (!same) {
        b.shape = blockDim;
        b.threads.resize(size);
        b.start.resize(size);
        for (unsigned r = 0; r < size; r++) b.threads[r].index = thread_of(r);
    }
    for (thread &t : b.threads) {
        t.what = state::fresh;
        t.stack = nullptr;
        t.gathers = t.at_end = false;
        t.copies.groups = 0;
        t.time = 0;
    }
    if (!same || chosen_order().kind == direction::random) {
        for (unsigned r = 0; r < size; r++) b.start[r] = r;
        chosen_order().arrange(b.start.data(), size);
    }
    b.warps.resize((size + 31) / 32);
    for (unsigned w = 0; w < b.warps.size(); w++) {
        unsigned lanes = size - w * 32;
        b.warps[w] = {lanes >= 32 ? ~0u : (1u << lanes) - 1, nullptr};
    }
}

void run_block(block &b) {
    active = &b;
    blockIdx = b.index;
    now.block = b.linear;
    b.set_aside = false;
    unsigned first = next_thread(b);
    if (first != nobody) {
        thread &t = b.threads[first];
        if (!t.stack) t.stack = take_fiber();
        smux_cpu_in_kernel = true;
        make_running(b, first);
        total.switches++;
        switch_fiber(&host_fiber, t.stack);
        smux_cpu_in_kernel = false;
    }
    active = nullptr;
}

namespace {

void end_thread(block &b) {
    unsigned rank = now.rank;
    b.threads[rank].what = state::ended;
    b.live--;
    b.at_end += b.threads[rank].at_end;
    b.warps[rank / 32].live &= ~(1u << rank % 32);
    check::thread_exit(rank);
    if (b.warps[rank / 32].pending) warps_without(b, rank);
    if (b.used_barriers) barriers_without(b, rank);
    b.fruitless_yields = 0;
    progress = progress + 1;
}

}  // namespace

void fiber_main() {
    jmp_buf ended;  // where a thread comes to that ends in the middle
    active->threads[now.rank].stack->ended = &ended;
    bool body = _setjmp(ended) == 0;
    for (;; body = true) {
        if (body) run_kernel_body();
        block &b = *active;
        end_thread(b);
        thread &mine = b.threads[now.rank];
        fiber *stack = mine.stack;
        mine.stack = nullptr;
        unsigned next = next_thread(b);
        if (next != nobody && !b.threads[next].stack) {  // begins, and may as well do so on this stack
            b.threads[next].stack = stack;
            make_running(b, next);
            continue;
        }
        give_fiber(stack);
        fiber *to = &host_fiber;
        if (next != nobody) {
            to = b.threads[next].stack;
            make_running(b, next);
        }
        total.switches++;
        switch_fiber(stack, to);
    }
}

}  // namespace smux_cpu

void smux_cpu_exit_thread() {
    using namespace smux_cpu;
    _longjmp(*static_cast<jmp_buf *>(active->threads[now.rank].stack->ended), 1);
}

void smux_cpu_at_end() {
    using namespace smux_cpu;
    active->threads[now.rank].at_end = true;
}

unsigned smux_cpu_rank() { return smux_cpu::now.rank; }
