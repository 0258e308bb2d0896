// Runs the blocks of a launch, one after another in the chosen order. A block is set aside, with what its shared
// variables hold, when all its threads wait at the grid's barrier, or when all of them only spin and may be
// waiting for another block.
#include "grid.h"

#include <deque>
#include <memory>

#include "explore.h"
#include "report.h"
#include "shared.h"
#include "switch.h"

namespace smux_cpu {
namespace {

// How many threads may be on the GPU at one time; blocks beyond wait until one has ended. A cooperative launch
// has all of its blocks there, or it would not have been accepted.
constexpr size_t most_resident = 16384;

std::vector<std::unique_ptr<block>> &spare_blocks() {
    static auto &list = *new std::vector<std::unique_ptr<block>>;
    return list;
}

struct set_aside {
    std::unique_ptr<block> b;
    shared_contents shared;
};

class grid {
public:
    explicit grid(const launch &l) : launch_(l) {}
    void run() {
        for (;;) {
            if (begun_ < launch_.blocks && room()) begin();
            else if (!able_.empty()) resume();
            else if (!at_barrier_.empty()) pass_barrier();
            else return;
        }
    }

private:
    const launch &launch_;
    uint64_t begun_ = 0;
    std::deque<set_aside> able_;        // can run on
    std::deque<set_aside> at_barrier_;  // wait for all other blocks
    uint64_t ended_ = 0;

    bool room() const {
        size_t aside = (able_.size() + at_barrier_.size()) * launch_.block_size;
        if (aside == 0 || launch_.shape->cooperative) return true;
        return aside + launch_.block_size <= most_resident;
    }

    void begin() {
        std::unique_ptr<block> b;
        if (spare_blocks().empty()) {
            b.reset(new block);
        } else {
            b = std::move(spare_blocks().back());
            spare_blocks().pop_back();
        }
        uint64_t linear = chosen_order().block(begun_++, launch_.blocks, now.launch);
        prepare_block(*b, unsigned(linear), launch_.block_size);
        total.blocks++;
        total.threads += launch_.block_size;
        now.block = b->linear;
        blockIdx = b->index;
        check::block_begin(launch_.block_size);
        begin_shared();
        run(std::move(b));
    }

    void resume() {
        const size_t next = exploring ? next_explored() : 0;
        set_aside s = std::move(able_[next]);
        able_.erase(able_.begin() + ptrdiff_t(next));
        now.block = s.b->linear;
        blockIdx = s.b->index;
        check::block_resume(s.b->linear, launch_.block_size);
        restore_shared(s.shared);
        resume_copies(*s.b);
        if (exploring && s.b->ready.empty()) make_step(*s.b);
        run(std::move(s.b));
    }

    // Who goes on of those that are set aside: one that has passed the grid's barrier, or else the one whose step it is.
    size_t next_explored() {
        const block *waiting = nullptr;
        for (size_t i = 0; i < able_.size(); i++) {
            if (!able_[i].b->ready.empty()) return i;
            if (awaits_step(*able_[i].b)) waiting = able_[i].b.get();
        }
        const unsigned linear = next_step_block(*waiting);
        for (size_t i = 0;; i++)
            if (able_[i].b->linear == linear) return i;
    }

    void run(std::unique_ptr<block> b) {
        b->may_be_set_aside = !able_.empty() || (begun_ < launch_.blocks && room());
        run_block(*b);
        while (exploring && begun_ == launch_.blocks && next_step_block(*b) == b->linear) {
            make_step(*b);
            run_block(*b);
        }
        if (b->live == 0) {
            if (b->used_barriers) report_left_over(*b);
            drop_copies(*b);
            check::block_end();
            ended_++;
            spare_blocks().push_back(std::move(b));
            return;
        }
        bool at_barrier = b->at_grid == b->live;
        if (!at_barrier && !b->set_aside && !(exploring && awaits_step(*b))) deadlock(*b, "");
        set_aside s;
        s.shared = save_shared();
        set_copies_aside(*b);
        check::block_suspend(b->linear);
        s.b = std::move(b);
        (at_barrier ? at_barrier_ : able_).push_back(std::move(s));
    }

    void pass_barrier() {
        if (ended_ != 0) deadlock(*at_barrier_.front().b, "the grid's barrier waits for blocks that have ended");
        check::grid_meet();
        for (set_aside &s : at_barrier_) {
            block &b = *s.b;
            std::vector<unsigned> all;
            for (unsigned r = 0; r < b.size; r++)
                if (b.threads[r].what == state::at_grid) all.push_back(r);
            if (b.at_end) report_missed(b, b.threads[all.front()]);
            if (&s == &at_barrier_.front()) explored_grid_meeting(b.threads[all.front()].site);
            b.at_grid = 0;
            release(b, all);
        }
        able_.swap(at_barrier_);
    }

    [[noreturn]] void deadlock(const block &b, const char *text) {
        record r("deadlock");
        r.text("kernel", now.kernel).number("launch", now.launch).index("block", b.index);
        for (const thread &t : b.threads) {
            if (t.what == state::ended) continue;
            uintptr_t pcs[64];
            int count = backtrace_from(t.frame, t.stack, pcs, 64);
            r.index("thread", t.index).pcs(pcs, count);
            break;
        }
        r.array("waiters", waiters(b));
        if (*text) r.text("text", text);
        r.fatal();
    }
};

}  // namespace

void run_grid(const launch &l) { grid(l).run(); }

}  // namespace smux_cpu

using namespace smux_cpu;

void smux_cpu_grid_sync() {
    if (!launched->shape->cooperative) smux_cpu_trap("grid synchronisation in a launch that is not cooperative");
    block &b = *active;
    thread &t = b.threads[now.rank];
    t.what = state::at_grid;
    t.site = __builtin_return_address(0);
    t.frame = __builtin_frame_address(0);
    b.at_grid++;
    wait_here(b);
}
