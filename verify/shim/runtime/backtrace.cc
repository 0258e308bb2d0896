// Call stacks by the chain of frames, which all code here is compiled to keep, and who waits where.
#include <link.h>
#include <pthread.h>
#include <unwind.h>

#include <map>

#include "report.h"
#include "schedule.h"

namespace smux_cpu {

const interruption *interrupted;

namespace {

struct executable { uintptr_t base = 0, low = 0, high = 0; };

int first_object(dl_phdr_info *info, size_t, void *result) {
    auto *e = static_cast<executable *>(result);
    e->base = info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const auto &p = info->dlpi_phdr[i];
        if (p.p_type != PT_LOAD || !(p.p_flags & PF_X)) continue;
        e->low = info->dlpi_addr + p.p_vaddr;
        e->high = e->low + p.p_memsz;
    }
    return 1;  // the first is the executable itself
}

const executable &self() {
    static executable e = [] {
        executable found;
        dl_iterate_phdr(first_object, &found);
        return found;
    }();
    return e;
}

// The stack of a host thread; asked for once, since the answer is read from a file.
uintptr_t host_stack_end() {
    static thread_local uintptr_t end = [] {
        pthread_attr_t a;
        void *low = nullptr;
        size_t bytes = 0;
        if (pthread_getattr_np(pthread_self(), &a) != 0) return uintptr_t(0);
        pthread_attr_getstack(&a, &low, &bytes);
        pthread_attr_destroy(&a);
        return uintptr_t(low) + bytes;
    }();
    return end;
}

// Frames lie at growing addresses; code that keeps no frames may have left anything in the register.
int walk(uintptr_t frame, uintptr_t low, uintptr_t high, uintptr_t *pcs, int count, int most) {
    while (count < most && frame >= low && frame + 16 <= high && frame % sizeof(void *) == 0) {
        auto *words = reinterpret_cast<const uintptr_t *>(frame);
        if (words[1] == 0) break;
        if (in_executable(words[1])) pcs[count++] = relative_pc(reinterpret_cast<const void *>(words[1]));
        low = frame + 1;
        frame = words[0];
    }
    return count;
}

// A library keeps no chain of frames, so where one was interrupted (as abort is, by its own signal), the
// unwinder has to find the way out of it.
struct unwinding {
    uintptr_t *pcs;
    int count, most;
    bool begun;
};

_Unwind_Reason_Code unwound(_Unwind_Context *context, void *state) {
    auto *u = static_cast<unwinding *>(state);
    int exact = 0;
    uintptr_t pc = _Unwind_GetIPInfo(context, &exact);
    if (pc - (exact ? 0 : 1) == interrupted->pc) u->begun = true;  // before it come the handler's own frames
    if (!u->begun || !in_executable(pc)) return _URC_NO_REASON;
    if (u->count == u->most) return _URC_END_OF_STACK;
    u->pcs[u->count++] = relative_pc(reinterpret_cast<const void *>(pc + (exact ? 1 : 0)));
    return _URC_NO_REASON;
}

std::string what(const block &b, const thread &t) {
    switch (t.what) {
    case state::fresh: return "not begun";
    case state::ready: return "ready to run";
    case state::running: return "runs";
    case state::parked: return "runs in a loop";
    case state::at_grid: return "barrier of the grid";
    case state::ended: return "ended";
    case state::at_warp: return warp_wait(t.operation, b.warps[size_t(&t - b.threads.data()) / 32].live);
    case state::at_barrier: break;
    }
    const barrier &bar = b.barriers[t.barrier];
    if (bar.mixed) return "barrier " + std::to_string(t.barrier);  // all have come, but not here
    unsigned came = bar.arrived;
    if (bar.count != 0)
        for (unsigned lanes : bar.lanes) came += unsigned(__builtin_popcount(lanes));
    return "barrier " + std::to_string(t.barrier) + " (" + std::to_string(came) + " of " +
           std::to_string(bar.count ? bar.count : b.live) + ")";
}

}  // namespace

uintptr_t relative_pc(const void *return_address) { return uintptr_t(return_address) - 1 - self().base; }

bool in_executable(uintptr_t pc) { return pc >= self().low && pc < self().high; }

int backtrace_from(void *frame, const fiber *on, uintptr_t *pcs, int most) {
    if (!on) return 0;
    return walk(uintptr_t(frame), uintptr_t(on->low), uintptr_t(on->high), pcs, 0, most);
}

uintptr_t stack_number(const void *frame, const fiber *on) {
    uintptr_t number = 0;
    for (auto *words = static_cast<const uintptr_t *>(frame); (const char *)words >= on->low && (const char *)(words + 2) <= on->high;) {
        number = number * 31 + words[1];
        auto *around = reinterpret_cast<const uintptr_t *>(words[0]);
        if (around <= words) break;
        words = around;
    }
    return number;
}

int backtrace(uintptr_t *pcs, int most) {
    const fiber *on = smux_cpu_in_kernel && active ? active->threads[now.rank].stack : nullptr;
    uintptr_t frame = uintptr_t(__builtin_frame_address(0));
    int count = 0;
    if (interrupted) {
        if (interrupted->by_timer || !in_executable(interrupted->pc)) {
            unwinding u = {pcs, 0, most, false};
            _Unwind_Backtrace(unwound, &u);
            if (u.count > 1 || !interrupted->by_timer) return u.count;
        }
        frame = uintptr_t(interrupted->frame);
        pcs[count++] = interrupted->pc - self().base;
    }
    uintptr_t high = on ? uintptr_t(on->high) : host_stack_end();
    uintptr_t low = on ? uintptr_t(on->low) : interrupted ? interrupted->sp : frame;
    return walk(frame, low, high, pcs, count, most);
}

std::string waiters(const block &b) {
    using key = std::pair<std::string, std::vector<uintptr_t>>;
    struct group { unsigned threads, first; };
    std::map<key, group> groups;
    std::vector<const key *> in_order;
    for (unsigned rank = 0; rank < b.size; rank++) {
        const thread &t = b.threads[rank];
        uintptr_t pcs[64];
        int count = 0;
        if (t.what == state::running) count = backtrace(pcs, 64);
        else if (t.what != state::ended && t.what != state::fresh) count = backtrace_from(t.frame, t.stack, pcs, 64);
        auto put = groups.insert({key(what(b, t), std::vector<uintptr_t>(pcs, pcs + count)), {0, rank}});
        put.first->second.threads++;
        if (put.second) in_order.push_back(&put.first->first);
    }
    std::string json = "[";
    for (const key *k : in_order) {
        const group &g = groups[*k];
        if (json.size() > 1) json += ",";
        json += record(nullptr).text("what", k->first).number("threads", g.threads).index("block", b.index)
                    .index("thread", b.threads[g.first].index).pcs(k->second.data(), int(k->second.size())).json();
    }
    return json + "]";
}

}  // namespace smux_cpu
