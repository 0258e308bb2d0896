#include "check_streams.h"

#include <algorithm>
#include <deque>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "check_access.h"
#include "memory.h"

namespace smux_cpu {
namespace check {

bool pending_operations, several_queues, memory_is_new;

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
operations_done running;        // what it knows
bool alone;                     // the running one: all others are done
bool made_memory;               // one of the operations did
int of_graph = -1;              // the queue of all work, while a graph runs
bool in_operation;              // a copy or a fill is being made

typedef std::lock_guard<own<std::recursive_mutex>> lock;
own<std::recursive_mutex> one_host_thread;

// While one host thread's kernel runs, times are that kernel's: what others ask for meanwhile, and could not wait, is not followed.
bool is_not_followed(bool launch) { return !launch && now.kernel; }

struct operation {
    uint32_t time;  // of its first mark
    unsigned queue, number;
    const char *what;
    std::vector<uintptr_t> pcs;  // where the host asked for it, if it is no launch
    operations_done knows;
};
std::vector<operation> &operations() {  // since the host has waited for all
    static auto *all = new std::vector<operation>;
    return *all;
}
constexpr size_t most_operations = size_t(1) << 16;

// What a thread of the host knows: operations that are done, and what kernels have told it. The words by which it may have
// learned that last, since it reads them only after it has been asked for.
struct host_thread {
    operations_done waited;
    host_news news;
    const void *words[4] = {};
    unsigned next_word = 0;
    unsigned queue = 0;  // its own, if it has one yet
};
bool one_host;  // its threads count as one: what orders them is not known
thread_local mark in_function;  // of the host function that this thread makes
std::vector<host_thread *> &host_threads() {
    static auto *all = new std::vector<host_thread *>;
    return *all;
}
// What was told by a mutex, a word, or the end of a thread.
std::unordered_map<uintptr_t, host_thread> &told_by() {
    static auto *all = new std::unordered_map<uintptr_t, host_thread>;
    return *all;
}

void join(operations_done &to, const operations_done &from) {
    if (to.size() < from.size()) to.resize(from.size());
    for (size_t i = 0; i < from.size(); i++) to[i] = std::max(to[i], from[i]);
}
unsigned count(const operations_done &of, unsigned queue) { return queue < of.size() ? of[queue] : 0; }

// From a thread that goes on, or has ended.
void learn(host_thread &to, const host_thread &from) {
    join(to.waited, from.waited);
    if (from.news.is_none()) return;
    // Its news is the running kernel's to change.
    if (now.kernel && !smux_cpu_in_kernel)
        for (const queue &q : queues()) join(to.waited, q.knows);
    else
        to.news.add(from.news);
}

host_thread &everyone() {
    static auto *it = new host_thread;
    return *it;
}
thread_local host_thread *this_host_thread;

void take_as_one_host() {
    one_host = true;
    for (const host_thread *t : host_threads()) learn(everyone(), *t);
}

host_thread &host() {
    if (one_host) return everyone();
    if (this_host_thread) return *this_host_thread;
    // One that nobody was seen to make, but for the first.
    if (!host_threads().empty()) return take_as_one_host(), everyone();
    host_threads().push_back(this_host_thread = new host_thread);
    return *this_host_thread;
}

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

}  // namespace

operations_done known_to_next(unsigned number) {
    const lock mine(one_host_thread);
    operations_done all = queues()[number].knows;
    join(all, host().waited);
    if (!queues()[number].blocking) return all;
    if (number != legacy_queue) join(all, queues()[legacy_queue].knows);
    for (const queue &q : queues())
        if (number == legacy_queue && q.blocking) join(all, q.knows);
    return all;
}

namespace {

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
template <class F> bool check_range(const void *p, size_t bytes, bool write, mark from, F &&known, bool but_strong = false) {
    bool found = false;
    each_shadow(p, bytes, false, write, [&](const shadow_memory &s, size_t w, unsigned mask) {
        for (mark m : {s.write[w], write ? s.read[w] : 0, write ? s.older[w] : 0}) {
            if (found || m < from || !(m & mask_bits(mask)) || (but_strong && strength_of(m) != strength::weak) || known(m)) continue;
            found = true;
            report(m, m == s.write[w], p, bytes, write);
        }
    });
    return found;
}

void forget_done() {
    pending_operations = !all_done(host().waited);
    for (const host_thread *t : host_threads()) pending_operations = pending_operations || (!one_host && !all_done(t->waited));
    if (pending_operations) return;
    made_memory = false;
    operations().clear();
    told_by().clear();
    for (host_thread *t : host_threads()) t->news = {};
    host().news = {};
    forget_host_news();
}

// Marks bytes as touched.
void remember_access(const void *p, size_t bytes, bool write, mark by) {
    each_shadow(p, bytes, true, write, [&](const shadow_memory &s, size_t w, unsigned mask) {
        const mark m = by | mask_bits(mask);
        if (write) s.write[w] = m;
        else s.older[w] = s.read[w], s.read[w] = m;
    });
}

bool known_to_host(mark m) {
    host_thread &me = host();
    const bool changes = now.kernel && !me.news.is_none();
    if (is_ordered(m, me.waited) || changes || me.news.holds(m)) return true;
    for (const void *word : me.words)
        if (word && told_by().count(uintptr_t(word))) learn(me, told_by()[uintptr_t(word)]);
    return is_ordered(m, me.waited) || me.news.holds(m);
}

}  // namespace

unsigned new_queue(bool blocking) {
    const lock mine(one_host_thread);
    several_queues = true;
    queues().push_back({blocking});
    return unsigned(queues().size() - 1);
}

unsigned thread_queue() {
    const lock mine(one_host_thread);
    host_thread &me = host();
    if (!me.queue) me.queue = one_host || host_threads().front() == &me ? 1 : new_queue(true);
    return me.queue;
}

bool begin_operation(unsigned number, const char *what, bool launch) {
    if (!on || !checks.race || is_not_followed(launch)) return true;
    const lock mine(one_host_thread);
    if (of_graph >= 0) number = unsigned(of_graph);
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
    memory_is_new = made_memory && !alone;
    if (operations().size() > most_operations) operations().erase(operations().begin(), operations().begin() + most_operations / 2);
    operations().push_back({begin_operation_time(), number, q.operations, what, launch ? std::vector<uintptr_t>() : stack(), running});
    pending_operations = true;
    return alone;
}

void operation_access(const void *p, size_t bytes, bool write, bool remember) {
    if (!on || !checks.race || bytes == 0 || is_not_followed(false)) return;
    const lock mine(one_host_thread);
    in_operation = true;
    const bool found = !alone && check_range(p, bytes, write, quick.earlier, [](mark m) { return is_ordered(m, running); });
    if (memory_is_new && !found) check_made(p, bytes, write);
    in_operation = false;
    int kind = 0;
    // Device memory is touched by queues only, and these two wait for each other.
    if ((!remember && of_graph < 0) || (queues().size() == 2 && smux_cpu_find_allocation(p, nullptr, nullptr, &kind) && kind == 0)) return;
    remember_access(p, bytes, write, quick.launch);
}

void made_in(unsigned queue, void *p) {
    if (!on || !checks.race) return;
    const turn mine;
    begin_operation(queue, "cudaMallocAsync", false);
    std::lock_guard<own_mutex> table(allocations_lock());
    allocation &a = allocations()[static_cast<char *>(p)];
    a.when = quick.launch;
    a.era = era;
    made_memory = true;
}

void check_made(const void *p, size_t bytes, bool write) {
    mark when = 0;
    {
        std::lock_guard<own_mutex> table(allocations_lock());
        const allocation *a = allocation_below(p);
        if (a && p < a->base + a->bytes && a->era == era) when = a->when;
    }
    if (when && !is_ordered(when, running)) report(when, true, p, bytes, write);
}

// Of the legacy queue it is what the others have done, too.
operations_done done_by(unsigned number) {
    const lock mine(one_host_thread);
    return number == legacy_queue ? known_to_next(number) : queues()[number].knows;
}

void host_waits(const operations_done &all) {
    if (of_graph >= 0) return;
    const lock mine(one_host_thread);
    join(host().waited, all);
    forget_done();
}

void all_in_queue(unsigned queue, const std::function<void()> &run) {
    const int before = std::exchange(of_graph, int(queue));
    run();
    of_graph = before;
}

unsigned queue_of_graph() { return unsigned(of_graph); }

void host_runs_in(unsigned queue, const std::function<void()> &run) {
    host_thread before;
    {
        const turn mine;
        const lock state(one_host_thread);
        before = host();
        begin_operation(queue, "a host function", false);
        in_function = is_not_followed(false) || !checks.race ? 0 : quick.launch;
        if (in_function) host().waited = running, host().news = {};
    }
    run();
    in_function = 0;
    host() = before;
}

void forget_operations() {
    const lock mine(one_host_thread);
    operations().clear();
}

void host_waits_for_all() {
    const lock mine(one_host_thread);
    for (const queue &q : queues()) join(host().waited, q.knows);
    forget_done();
}

void queue_waits(unsigned queue, const operations_done &all) {
    const lock mine(one_host_thread);
    join(queues()[queue].knows, all);
}

void host_access_while_pending(const void *p, size_t bytes, bool write, bool strong) {
    const lock mine(one_host_thread);
    if (operations().empty()) return;
    host_thread &me = host();
    check_range(p, bytes, write, mark(operations().front().time) << time_at, known_to_host, !write || strong);
    if (in_function && !now.kernel) remember_access(p, bytes, write, in_function | mark(strong ? strength::everywhere : strength::weak) << strong_at);
    if (!strong) return;
    host_thread_learns(p);
    if (write) return host_thread_tells(p);
    me.words[me.next_word++ % 4] = p;
    each_shadow(p, bytes, false, false, [&](const shadow_memory &s, size_t w, unsigned) {
        const operation *o = strength_of(s.write[w]) == strength::weak ? nullptr : find(s.write[w]);
        if (!o || o->number <= count(me.waited, o->queue)) return;
        // Whoever asked for it has waited for what came before; of a host function, or a kernel that goes on meanwhile, all is heard.
        operations_done known = o->knows;
        if (o->pcs.empty() && !now.kernel) known[o->queue]--, host_hears(p, me.news);
        join(me.waited, known);
    });
    forget_done();
}

void *host_thread_made(bool seen) {
    const lock mine(one_host_thread);
    if (!seen) take_as_one_host();
    auto *made = new host_thread(host());
    made->queue = 0;
    host_threads().push_back(made);
    return made;
}

void host_thread_begins(void *made) { this_host_thread = static_cast<host_thread *>(made); }

void host_thread_ends(const void *by) {
    host_thread_tells(by);
    const lock mine(one_host_thread);
    host_threads().erase(std::remove(host_threads().begin(), host_threads().end(), this_host_thread), host_threads().end());
}

void host_thread_tells(const void *by) {
    const lock mine(one_host_thread);
    if (pending_operations && !one_host && host_threads().size() > 1) learn(told_by()[uintptr_t(by)], host());
}

void host_thread_learns(const void *by) {
    const lock mine(one_host_thread);
    if (!pending_operations || one_host) return;
    const auto told = told_by().find(uintptr_t(by));
    if (told != told_by().end()) learn(host(), told->second);
}

void host_atomic(const void *address, size_t bytes, bool write) {
    if (pending_operations && checks.host && checks.race) host_access_while_pending(address, bytes, write, true);
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
