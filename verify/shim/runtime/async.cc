#include "async.h"

#include <cstring>

#include "check_access.h"
#include "schedule.h"

namespace smux_cpu {
namespace check {

size_t in_flight_bytes;

namespace {
uint8_t *in_flight;  // per byte of the arena: 1 where a copy is under way to it, 2 where one from it is
}

}  // namespace check

namespace {

bool inside(const arena &a, const void *p) {
    const char *c = static_cast<const char *>(p);
    return c >= a.low && c < a.high;
}

// What lies in shared memory of it.
bool is_to_shared(const async_copy &c) { return inside(shared_arena, c.to); }
const char *shared_end(const async_copy &c) { return is_to_shared(c) ? c.to : c.from; }

// Marks the bytes of a copy, or takes the mark away.
void mark(const async_copy &c, bool flies) {
    if (!check::on || !inside(shared_arena, shared_end(c))) return;
    if (!check::in_flight) {
        check::in_flight = static_cast<uint8_t *>(check::reserve_shadow(size_t(shared_arena.high - shared_arena.low) + 16));
        if (!check::in_flight) smux_cpu_not_supported("no address space for the check of asynchronous copies");
    }
    for (size_t i = 0; i < c.bytes && shared_end(c) + i < shared_arena.high; i++) {
        uint8_t &byte = check::in_flight[shared_end(c) + i - shared_arena.low];
        check::in_flight_bytes += size_t(flies) - (byte != 0);
        byte = !flies ? 0 : is_to_shared(c) ? 1 : 2;
    }
    check::set_quick();
}

void seen(const void *p, size_t bytes, bool write, const void *site) {
    if (bytes && check::on && smux_cpu_in_kernel) check::access_out_of_line(p, bytes, {write}, site);
}

void look(const async_copy &c) {
    seen(c.from, size_t(c.bytes - c.zeros), false, c.site);
    seen(c.to, c.bytes, true, c.site);
}

void make(const async_copy &c) {
    memcpy(c.to, c.from, size_t(c.bytes - c.zeros));
    memset(c.to + c.bytes - c.zeros, 0, c.zeros);
}

void finish(const async_copy &c) {
    mark(c, false);
    look(c);
    make(c);
}

// Makes those copies of a list for which done(copy), in their order, and takes them out.
template <class F> void finish_some(std::vector<async_copy> &list, F &&done) {
    size_t kept = 0;
    for (size_t i = 0; i < list.size(); i++) {
        if (done(list[i])) finish(list[i]);
        else list[kept++] = list[i];
    }
    list.resize(kept);
}

constexpr unsigned in_bulk = ~0u;  // the group of copies whose bytes a barrier counts

async_copies &mine() { return active->threads[now.rank].copies; }
async_copies &mine_in_bulk() { return active->threads[now.rank].bulk; }

void wait_for(async_copies &own, size_t prior) {
    finish_some(own.open, [&](const async_copy &c) { return c.group + prior < own.groups; });
}

// Asks for a copy, in pieces that lie in `open` until they are made; at once where that is null.
void begin(void *to, const void *from, size_t bytes, size_t zeros, const void *barrier, std::vector<async_copy> *open, unsigned group, const void *site) {
    constexpr size_t most = 16;
    for (size_t at = 0; at < bytes; at += most) {
        size_t piece = bytes - at < most ? bytes - at : most, filled = bytes - zeros;
        size_t behind = at + piece <= filled ? 0 : filled <= at ? piece : at + piece - filled;
        async_copy c = {static_cast<char *>(to) + at, static_cast<const char *>(from) + at, uint8_t(piece), uint8_t(behind), group, now.rank, barrier, site};
        look(c);
        if (!open) {
            make(c);
            continue;
        }
        mark(c, true);
        open->push_back(c);
    }
}

template <class F> void each_copy(const block &b, F &&f) {
    for (const thread &t : b.threads) {
        for (const async_copy &c : t.copies.open) f(c);
        for (const async_copy &c : t.bulk.open) f(c);
    }
    for (const async_copy &c : b.tied) f(c);
}

}  // namespace

void drop_copies(block &b) {
    set_copies_aside(b);
    for (thread &t : b.threads) t.copies.open.clear(), t.bulk.open.clear();
    b.tied.clear();
}

void set_copies_aside(const block &b) {
    if (check::in_flight_bytes) each_copy(b, [](const async_copy &c) { mark(c, false); });
}

void resume_copies(const block &b) {
    each_copy(b, [](const async_copy &c) { mark(c, true); });
}

namespace check {

void in_flight_access(const void *p, size_t bytes, bool write, uint32_t pc) {
    const char *c = static_cast<const char *>(p);
    const async_copy *under_way = nullptr;
    for (size_t i = 0; i < bytes && !under_way; i++) {
        const uint8_t byte = in_flight[c + i - shared_arena.low];
        if (byte == 0 || (byte == 2 && !write)) continue;
        each_copy(*active, [&](const async_copy &o) {
            if (c + i >= shared_end(o) && c + i < shared_end(o) + o.bytes) under_way = &o;
        });
    }
    if (!under_way || !first_time("in-flight", pc)) return;
    uintptr_t there = relative_pc(under_way->site);
    record r("in-flight");
    r.here().flag("write", write);
    describe(r, p, bytes, space::shared);
    r.object("other", record(nullptr).index("block", block_of(now.block)).index("thread", thread_of(under_way->rank)).pcs(&there, 1)
        .flag("write", is_to_shared(*under_way)).flag("atomic", false));
    r.write();
}

}  // namespace check
}  // namespace smux_cpu

using namespace smux_cpu;

void smux_cpu_async_copy(void *to, const void *from, size_t bytes, size_t zeros, const void *barrier) {
    const bool waits = smux_cpu_in_kernel && inside(shared_arena, to) && !inside(shared_arena, from);
    begin(to, from, bytes, zeros, barrier, waits ? barrier ? &active->tied : &mine().open : nullptr, waits ? mine().groups : 0, __builtin_return_address(0));
}

void smux_cpu_bulk_copy(void *to, const void *from, size_t bytes, const void *barrier) {
    const void *site = __builtin_return_address(0);
    if ((uintptr_t(to) | uintptr_t(from) | bytes) % 16) smux_cpu_bad_barrier("cp.async.bulk: the addresses and the size must be multiples of 16");
    begin(to, from, bytes, 0, barrier, barrier ? &active->tied : &mine_in_bulk().open, barrier ? in_bulk : mine_in_bulk().groups, site);
}
long long smux_cpu_bulk_under_way(const void *barrier) {
    long long bytes = 0;
    for (const async_copy &c : active->tied)
        if (c.barrier == barrier && c.group == in_bulk) bytes += c.bytes;
    return bytes;
}
void smux_cpu_bulk_commit() { mine_in_bulk().groups++; }
void smux_cpu_bulk_wait(size_t prior) { wait_for(mine_in_bulk(), prior); }

void smux_cpu_async_commit() { mine().groups++; }

void smux_cpu_async_wait(size_t prior) { wait_for(mine(), prior); }

void smux_cpu_async_wait_all() {
    finish_some(mine().open, [](const async_copy &) { return true; });
}

void smux_cpu_async_tie(const void *barrier) {
    async_copies &own = mine();
    for (async_copy c : own.open) {
        c.barrier = barrier;
        active->tied.push_back(c);
    }
    own.open.clear();
}

void smux_cpu_async_arrived(const void *barrier) {
    if (!active || active->tied.empty()) return;
    const void *site = __builtin_return_address(0);
    check::atomic(barrier, sizeof(uint64_t), 'w', ordering::acq_rel, site);
    finish_some(active->tied, [&](const async_copy &c) { return c.barrier == barrier; });
    // Who waits for the phase knows of them, too.
    check::atomic(barrier, sizeof(uint64_t), 'w', ordering::acq_rel, site);
}
