#include "check_streams.h"

#include <algorithm>
#include <deque>
#include <mutex>
#include <utility>

#include "check_access.h"

namespace smux_cpu {
namespace check {

bool pending_operations;

namespace {

struct queue {
    bool blocking;
    unsigned operations = 0;
    operations_done knows;
};
std::deque<queue> &queues() {
    static auto *all = new std::deque<queue>{{true}, {true}};
    return *all;
}
operations_done host, running;  // what these know
bool alone;                     // the running one: all others are done
bool in_operation;              // a copy or a fill is being made

typedef std::lock_guard<std::recursive_mutex> lock;
std::recursive_mutex one_host_thread;

// While one host thread's kernel runs, times are that kernel's: what others ask for meanwhile is not followed.
bool is_not_followed(bool launch) { return !launch && now.kernel; }

struct operation {
    uint32_t time;  // of its first mark
    unsigned queue, number;
    const char *what;
    std::vector<uintptr_t> pcs;  // where the host asked for it, if it is no launch
};
std::vector<operation> &operations() {  // since the host has waited for all
    static auto *all = new std::vector<operation>;
    return *all;
}

void join(operations_done &to, const operations_done &from) {
    if (to.size() < from.size()) to.resize(from.size());
    for (size_t i = 0; i < from.size(); i++) to[i] = std::max(to[i], from[i]);
}
unsigned count(const operations_done &of, unsigned queue) { return queue < of.size() ? of[queue] : 0; }

bool all_done(const operations_done &known) {
    for (unsigned i = 0; i < queues().size(); i++)
        if (count(known, i) < queues()[i].operations) return false;
    return true;
}

const operation *find(mark m) {
    auto after = std::upper_bound(operations().begin(), operations().end(), uint32_t(m >> time_at), [](uint32_t t, const operation &o) { return t < o.time; });
    return after == operations().begin() ? nullptr : &*(after - 1);
}

bool is_ordered(mark m, const operations_done &before) {
    const operation *o = find(m);
    return !o || o->number <= count(before, o->queue);
}

// What the queue does next knows, without itself.
operations_done known_to_next(unsigned number) {
    operations_done all = queues()[number].knows;
    join(all, host);
    if (!queues()[number].blocking) return all;
    if (number != legacy_queue) join(all, queues()[legacy_queue].knows);
    for (const queue &q : queues())
        if (number == legacy_queue && q.blocking) join(all, q.knows);
    return all;
}

std::vector<uintptr_t> stack() {
    uintptr_t pcs[16];
    return {pcs, pcs + backtrace(pcs, 16)};
}

void report(mark other, bool other_writes, const void *p, size_t bytes, bool write) {
    uintptr_t both = pc_of(other);
    for (uintptr_t pc : stack()) both = both * 0x9e3779b97f4a7c15u + pc;
    if (find(other) && first_time("stream-race", both))
        stream_race(other, other_writes, p, bytes, write, p >= variables.low && p < variables.high ? space::variable : space::global).write();
}

// Calls look(shadow, number of the word, mask of its bytes) for the words that have one.
template <class F> void each_shadow(const void *p, size_t bytes, bool makes, bool write, F &&look) {
    const char *c = static_cast<const char *>(p);
    if (c >= global_arena.low && c < global_arena.high) {
        each_word(size_t(c - global_arena.low), std::min(bytes, size_t(global_arena.high - c)), [&](size_t w, unsigned mask) {
            if (makes ? shadow_there(w, write) : w < global_bytes_covered() / word) look(global_shadow, w, mask);
        });
    } else if (c >= variables.low && c < variables.high) {
        each_word(size_t(c - variables.low), std::min(bytes, size_t(variables.high - c)), [&](size_t w, unsigned mask) { look(variable_shadow, w, mask); });
    }
}

// Looks for an access that is not `known`, at or after a mark.
void check_range(const void *p, size_t bytes, bool write, mark from, const operations_done &known, bool but_strong = false) {
    bool found = false;
    each_shadow(p, bytes, false, write, [&](const shadow_memory &s, size_t w, unsigned mask) {
        for (mark m : {s.write[w], write ? s.read[w] : 0, write ? s.older[w] : 0}) {
            if (found || m < from || !(m & mask_bits(mask)) || (but_strong && strength_of(m) != strength::weak) || is_ordered(m, known)) continue;
            found = true;
            report(m, m == s.write[w], p, bytes, write);
        }
    });
}

void forget_done() {
    pending_operations = !all_done(host);
    if (!pending_operations) operations().clear();
}

}  // namespace

unsigned new_queue(bool blocking) {
    const lock mine(one_host_thread);
    queues().push_back({blocking});
    return unsigned(queues().size() - 1);
}

void begin_operation(unsigned number, const char *what, bool launch) {
    if (!on || !checks.race || is_not_followed(launch)) return;
    const lock mine(one_host_thread);
    operations_done before = known_to_next(number);
    const bool after_all = all_done(before);
    queue &q = queues()[number];
    running = std::move(before);
    if (running.size() <= number) running.resize(number + 1);
    q.operations++;
    running[number] = q.operations;
    q.knows = running;
    if (after_all) order_times();
    alone = after_all;
    operations().push_back({begin_operation_time(), number, q.operations, what, launch ? std::vector<uintptr_t>() : stack()});
    pending_operations = true;
}

void operation_access(const void *p, size_t bytes, bool write, bool remember) {
    if (!on || !checks.race || bytes == 0 || is_not_followed(false)) return;
    const lock mine(one_host_thread);
    in_operation = true;
    if (!alone) check_range(p, bytes, write, quick.earlier, running);
    in_operation = false;
    int kind = 0;
    // Device memory is touched by queues only, and these two wait for each other.
    if (!remember || (queues().size() == 2 && smux_cpu_find_allocation(p, nullptr, nullptr, &kind) && kind == 0)) return;
    each_shadow(p, bytes, true, write, [&](const shadow_memory &s, size_t w, unsigned mask) {
        const mark m = quick.launch | mask_bits(mask);
        if (write) s.write[w] = m;
        else s.older[w] = s.read[w], s.read[w] = m;
    });
}

// Of the legacy queue it is what the others have done, too.
operations_done done_by(unsigned number) {
    const lock mine(one_host_thread);
    return number == legacy_queue ? known_to_next(number) : queues()[number].knows;
}

void host_waits(const operations_done &all) {
    const lock mine(one_host_thread);
    join(host, all);
    forget_done();
}

void host_runs_in(unsigned queue, const std::function<void()> &run) {
    begin_operation(queue, "a host function", false);
    const operations_done before = std::exchange(host, running);
    run();
    host = before;
}

void forget_operations() {
    const lock mine(one_host_thread);
    operations().clear();
}

void host_waits_for_all() {
    const lock mine(one_host_thread);
    for (const queue &q : queues()) join(host, q.knows);
    forget_done();
}

void queue_waits(unsigned queue, const operations_done &all) {
    const lock mine(one_host_thread);
    join(queues()[queue].knows, all);
}

void host_access_while_pending(const void *p, size_t bytes, bool write, bool strong) {
    const lock mine(one_host_thread);
    if (operations().empty()) return;
    check_range(p, bytes, write, mark(operations().front().time) << time_at, host, !write || strong);
    if (write || !strong) return;
    each_shadow(p, bytes, false, false, [](const shadow_memory &s, size_t w, unsigned) {
        const operation *o = strength_of(s.write[w]) == strength::weak ? nullptr : find(s.write[w]);
        if (!o) return;
        if (host.size() <= o->queue) host.resize(o->queue + 1);
        host[o->queue] = std::max(host[o->queue], o->number);
    });
    forget_done();
}

bool operation_is_ordered(mark m) {
    const lock mine(one_host_thread);
    return is_ordered(m, running);
}

record stream_race(mark other, bool other_writes, const void *p, size_t bytes, bool write, space where) {
    const lock mine(one_host_thread);
    record r("stream-race"), second(nullptr);
    r.here().flag("write", write);
    if (!smux_cpu_in_kernel && in_operation) r.text("name", operations().back().what);
    describe(r, p, bytes, where);
    const operation &o = *find(other);
    const uintptr_t pc = pc_of(other);
    second.pcs(o.pcs.empty() ? &pc : o.pcs.data(), o.pcs.empty() ? 1 : int(o.pcs.size())).flag("write", other_writes).text("operation", o.what);
    return r.object("other", second);
}

}  // namespace check
}  // namespace smux_cpu
