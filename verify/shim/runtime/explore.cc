#include "explore.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "check.h"
#include "explore_state.h"
#include "image.h"
#include "report.h"
#include "switch.h"

namespace smux_cpu {

bool exploring;

namespace {

constexpr unsigned most_explored = 64, exit_explored = 96;
constexpr size_t most_steps = 4000;   // of a run
constexpr size_t most_visits = 64;    // of places that are compared to see whether a thread spins

struct step {
    const char *address;
    uint64_t at;  // the same in each run
    size_t bytes;
    char kind;
    bool overlaps(const step &s) const { return kind != 'n' && s.kind != 'n' && at < s.at + s.bytes && s.at < at + bytes; }
};

struct sleeper {
    unsigned thread;
    step next;
    bool changed;
};

struct waiting_thread {
    bool awaits = false;   // a step
    bool spins = false;    // it has come back to where it was: waits until something changes of what it has looked at
    bool resting = false;  // ... by giving way: until anyone makes a step
    step next = {};
    std::vector<uint64_t> visits;  // places and stacks since something changed
    std::vector<step> looked;
    unsigned turns = 0;            // how often it gave way since its last step
};

struct exploration {
    std::vector<unsigned> prefix;
    std::vector<sleeper> sleeping, asleep;  // as given; now
    bool any = false;
    random_numbers numbers{0};
    size_t steps = 0;           // made in the whole program
    std::string trace;
    // of the running launch
    unsigned block_size = 0, threads = 0;
    waiting_thread all[most_explored];
    unsigned chosen = nobody;
    bool made = false;          // a step was made, and its line is not written
    unsigned last = 0;
    size_t step_line = 0;       // where its line belongs
    uint64_t enabled = 0;
    char before[64];
    std::map<std::pair<unsigned, unsigned>, unsigned> tickets;  // the checker's, by block, to the trace's
    unsigned arrivals = 0;
};

// "0.1*3.2", or "any:7"
void read_steps(exploration &e, const char *s) {
    if (strncmp(s, "any:", 4) == 0) {
        e.any = true;
        e.numbers = random_numbers(strtoull(s + 4, nullptr, 10) * 0x9e3779b97f4a7c15u);
        return;
    }
    while (*s) {
        char *end;
        unsigned thread = unsigned(strtoul(s, &end, 10));
        unsigned long times = *end == '*' ? strtoul(end + 1, &end, 10) : 1;
        for (; times > 0 && e.prefix.size() < most_steps; times--) e.prefix.push_back(thread);
        if (end == s) return;
        s = *end ? end + 1 : end;
    }
}

void read_sleeping(exploration &e, const char *s) {
    while (s && *s) {
        char *end;
        sleeper one = {};
        one.thread = unsigned(strtoul(s, &end, 10));
        if (!*end) return;
        one.next.kind = *end;
        one.next.at = strtoull(end + 1, &end, 16);
        if (*end == ',') one.next.bytes = strtoul(end + 1, &end, 10);
        if (*end == ',') one.changed = strtoul(end + 1, &end, 10) != 0;
        e.sleeping.push_back(one);
        s = *end ? end + 1 : end;
    }
}

exploration &it() {
    static exploration &e = *[] {
        auto *e = new exploration;
        const char *order = getenv("SMUX_ORDER");
        read_steps(*e, order + strlen("steps:"));
        read_sleeping(*e, getenv("SMUX_SLEEPING"));
        if (e->prefix.size() <= 1) e->asleep = e->sleeping;
        return e;
    }();
    return e;
}

unsigned number_of(const block &b, unsigned rank) { return b.linear * it().block_size + rank; }

void line(const char *form, ...) __attribute__((format(printf, 1, 2)));
void line(const char *form, ...) {
    char text[160];
    va_list values;
    va_start(values, form);
    vsnprintf(text, sizeof text, form, values);
    va_end(values);
    it().trace += text;
    it().trace += '\n';
}

[[noreturn]] void end_run(const char *why) {
    line("%s", why);
    write_trace();
    _exit(exit_explored);
}

bool commute(const step &a, const step &b) { return a.kind == b.kind && a.kind != 'r' && a.kind != 'w' && a.at == b.at && a.bytes == b.bytes; }
bool depend(const step &a, bool a_changed, const step &b, bool b_changed) {
    return a.overlaps(b) && (a_changed || b_changed) && !commute(a, b);
}

// Something has changed of what a thread has looked at, or it has changed something itself.
void wake(waiting_thread &t) {
    t.spins = t.resting = false;
    t.visits.clear();
    t.looked.clear();
}

// Notes what the last step did, when its thread has come to the next one.
void settle() {
    exploration &e = it();
    if (!e.made) return;
    e.made = false;
    waiting_thread &t = e.all[e.last];
    const step done = t.looked.back();
    const bool changed = done.kind != 'n' && done.kind != 'r' && memcmp(done.address, e.before, std::min(done.bytes, sizeof e.before)) != 0;
    char text[128];
    snprintf(text, sizeof text, "step %u %llx %c %llx %zu %d\n", e.last, (unsigned long long)e.enabled, done.kind, (unsigned long long)done.at,
             done.bytes, changed);
    // What met behind the step has been noted already: the step comes first.
    e.trace.insert(e.step_line, text);
    for (unsigned i = 0; i < e.threads; i++) {
        waiting_thread &other = e.all[i];
        if (other.resting && i != e.last) wake(other);
        if (!changed) continue;
        bool touched = i == e.last;
        for (const step &s : other.looked) touched |= s.overlaps(done);
        if (touched) wake(other);
    }
    if (e.steps < e.prefix.size()) return;
    std::vector<sleeper> still;
    for (const sleeper &s : e.asleep)
        if (s.thread != e.last && !depend(s.next, s.changed, done, changed)) still.push_back(s);
    e.asleep.swap(still);
}

[[noreturn]] void report_spinning(const block &b) {
    for (const thread &t : b.threads) {
        if (t.what != state::parked) continue;
        uintptr_t pcs[64];
        int count = backtrace_from(t.frame, t.stack, pcs, 64);
        record r("spin");
        r.text("kernel", now.kernel).number("launch", now.launch).index("block", b.index).index("thread", t.index).pcs(pcs, count);
        r.array("waiters", waiters(b)).text("text", "no other thread can change what it waits for");
        r.fatal();
    }
    abort();
}

// Who makes the next step.
unsigned choose(const block &b) {
    exploration &e = it();
    uint64_t able = 0, giving_way = 0, asleep = 0;
    bool anyone = false;
    for (unsigned i = 0; i < e.threads; i++) {
        const waiting_thread &t = e.all[i];
        anyone |= t.awaits;
        if (!t.awaits || t.spins) continue;
        able |= uint64_t(1) << i;
        if (t.next.kind == 'n') giving_way |= uint64_t(1) << i;
    }
    if (!anyone) return nobody;
    if (!able) {
        if (!awaits_step(b)) return nobody;  // another block has the threads that spin
        report_spinning(b);
    }
    if (e.steps >= most_steps) end_run("endless");
    e.enabled = able;
    for (const sleeper &s : e.asleep) asleep |= uint64_t(1) << s.thread;
    if (e.steps < e.prefix.size()) {
        unsigned next = e.prefix[e.steps++];
        if (e.steps == e.prefix.size()) e.asleep = e.sleeping;
        if (next >= e.threads || !(able >> next & 1)) end_run("diverged");
        return next;
    }
    e.steps++;
    uint64_t of = able & ~asleep;
    if (!of) end_run("redundant");
    if (of & ~giving_way) of &= ~giving_way;
    unsigned skip = e.any ? e.numbers.below(unsigned(__builtin_popcountll(of))) : 0;
    for (; skip > 0; skip--) of &= of - 1;
    return unsigned(__builtin_ctzll(of));
}

// Where an address lies, the same in each run; what is shared memory there is one place for each block.
uint64_t place_of(const block &b, const void *address) {
    const char *p = static_cast<const char *>(address);
    if (p >= global_arena.low && p < global_arena.high) return uint64_t(1) << 60 | uint64_t(p - global_arena.low);
    if (p >= shared_arena.low && p < shared_arena.high) return uint64_t(2) << 60 | uint64_t(b.linear) << 40 | uint64_t(p - shared_arena.low);
    static const arena variables = image_variables();
    return uint64_t(3) << 60 | (p >= variables.low && p < variables.high ? uint64_t(p - variables.low) : uint64_t(uintptr_t(p)));
}

// A thread's place and all that it knows: the words of its stack from the program's own frame on, with the registers that
// functions keep, which a function with a frame saves right below it.
uint64_t snapshot(const fiber *stack, const void *site, void *frame, const step &next) {
#if defined(__x86_64__)
    constexpr size_t kept = 5;
#else
    constexpr size_t kept = 0;
#endif
    uint64_t h = 14695981039346656037u;
    auto mix = [&](uint64_t v) { h = (h ^ v) * 0x9e3779b97f4a7c15u, h ^= h >> 29; };
    mix(uint64_t(uintptr_t(site)));
    mix(next.at);
    const uintptr_t *p = static_cast<const uintptr_t *>(frame) - kept;
    for (; reinterpret_cast<const char *>(p) + sizeof *p <= stack->high; p++) mix(*p);
    return h;
}

void park(const step &next, const void *site, void *frame) {
    block &b = *active;
    thread &t = b.threads[now.rank];
    waiting_thread &w = it().all[number_of(b, now.rank)];
    t.what = state::parked;
    t.site = site;
    t.frame = frame;
    const uint64_t here = snapshot(t.stack, site, frame, next);
    w.spins = false;
    for (uint64_t v : w.visits) w.spins |= v == here;
    w.resting = w.spins && next.kind == 'n';
    if (w.visits.size() >= most_visits) wake(w);
    w.visits.push_back(here);
    w.next = next;
    w.awaits = true;
    wait_here(b);
    w.looked.push_back(next);
}

void tell_barrier(const void *site) { line("barrier %llx", (unsigned long long)relative_pc(site)); }

}  // namespace

bool explored_order() {
    static const bool is = [] {
        const char *s = getenv("SMUX_ORDER");
        return s && strncmp(s, "steps:", 6) == 0;
    }();
    return is;
}

void begin_exploring(uint64_t blocks, unsigned block_size) {
    if (!explored_order()) return;
    exploring = blocks * block_size <= most_explored;
    exploration &e = it();
    line("launch %u %s", exploring ? unsigned(blocks) * block_size : 0, now.kernel);
    e.block_size = block_size;
    e.threads = exploring ? unsigned(blocks) * block_size : 0;
    for (waiting_thread &t : e.all) t = waiting_thread();
    e.chosen = nobody;
    e.tickets.clear();
    e.arrivals = 0;
}

void end_exploring() {
    if (!explored_order()) return;
    exploring = false;
    line("state %llx", (unsigned long long)state_of_memory());
    write_trace();
}

__attribute__((noinline)) void await_step(const void *address, size_t bytes, char kind, const void *site) {
    __builtin_unwind_init();  // all registers that functions keep are on the stack now, for snapshot
    block &b = *active;
    it().all[number_of(b, now.rank)].turns = 0;
    park({static_cast<const char *>(address), place_of(b, address), bytes, kind}, site, __builtin_frame_address(0));
}

void await_turn(const void *site, void *frame) {
    waiting_thread &t = it().all[number_of(*active, now.rank)];
    if (++t.turns > 1) park({nullptr, 0, 0, 'n'}, site, frame);
}

unsigned next_step_block(const block &b) {
    exploration &e = it();
    settle();
    if (e.chosen == nobody) e.chosen = choose(b);
    return e.chosen == nobody ? no_block : e.chosen / e.block_size;
}

void make_step(block &b) {
    exploration &e = it();
    waiting_thread &t = e.all[e.chosen];
    t.awaits = false;
    if (t.next.kind != 'n') memcpy(e.before, t.next.address, std::min(t.next.bytes, sizeof e.before));
    e.made = true;
    e.last = e.chosen;
    e.step_line = e.trace.size();
    e.chosen = nobody;
    make_ready(b, e.last % e.block_size);
}

bool awaits_step(const block &b) {
    for (unsigned r = 0; r < b.size; r++)
        if (it().all[number_of(b, r)].awaits) return true;
    return false;
}

void explored_meeting(const block &b, const unsigned *ranks, size_t count, const unsigned *tickets, size_t told, const void *whole) {
    if (!exploring) return;
    exploration &e = it();
    uint64_t members = 0;
    for (size_t i = 0; i < count; i++) members |= uint64_t(1) << number_of(b, ranks[i]);
    for (unsigned r = 0; whole && r < b.size; r++)
        if (b.threads[r].what == state::ended) members |= uint64_t(1) << number_of(b, r);
    std::string text = "meet ";
    char one[24];
    snprintf(one, sizeof one, "%llx", (unsigned long long)members);
    text += one;
    for (size_t i = 0; i < told; i++) text += " " + std::to_string(e.tickets[{b.linear, tickets[i]}]);
    e.trace += text + "\n";
    if (whole) tell_barrier(whole);
}

void explored_arrival(const block &b, unsigned rank, unsigned ticket) {
    if (!exploring) return;
    it().tickets[{b.linear, ticket}] = it().arrivals++;
    line("arrive %u", number_of(b, rank));
}

void explored_grid_meeting(const void *site) {
    if (!exploring) return;
    line("meet %llx", (unsigned long long)(it().threads == 64 ? ~0ull : (1ull << it().threads) - 1));
    tell_barrier(site);
}

void write_trace() {
    if (!explored_order()) return;
    static const char *path = getenv("SMUX_TRACE");
    std::string &text = it().trace;
    settle();
    if (path && !text.empty()) {
        int f = ::open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
        size_t done = 0;
        while (f >= 0 && done < text.size()) {
            ssize_t n = ::write(f, text.data() + done, text.size() - done);
            if (n <= 0) break;
            done += size_t(n);
        }
        if (f >= 0) close(f);
    }
    text.clear();
    it().step_line = 0;
}

}  // namespace smux_cpu
