// Operations in which the lanes of a warp meet: __syncwarp, shuffles, votes, matches, reductions. A lane waits
// until all lanes of its mask that live have come with that mask; they may come from different places.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <set>

#include "explore.h"
#include "report.h"
#include "schedule.h"
#include "smux_cpu/warp_kinds.h"
#include "switch.h"

namespace smux_cpu {

struct warp_operation {
    unsigned mask, arrived;
    int kind;
    unsigned unread;        // lanes that have not gone on yet
    const void *site;       // of the lane that came first
    warp_operation *next;
    alignas(64) unsigned char values[32 * 32];
};

namespace {

warp_operation *spare;

warp_operation *begin_operation(unsigned mask, int kind, const void *site) {
    warp_operation *o = spare;
    if (o) spare = o->next;
    else o = new warp_operation();
    o->mask = mask;
    o->arrived = 0;
    o->kind = kind;
    o->site = site;
    o->next = nullptr;
    return o;
}

// The values stay readable until another lane begins an operation, that is, until the caller has copied them.
void end_reading(warp_operation *o) {
    if (--o->unread != 0) return;
    o->next = spare;
    spare = o;
}

void bring(warp_operation *o, unsigned lane, const void *value, size_t bytes) {
    unsigned char *slot = o->values + 32 * lane;
    if (bytes == 4) memcpy(slot, value, 4);
    else if (bytes == 8) memcpy(slot, value, 8);
    else if (value) memcpy(slot, value, bytes < 32 ? bytes : 32);
}

// Takes the operation out of the warp's list and lets its lanes go on.
void complete(block &b, unsigned w, warp_operation *o) {
    warp_operation **link = &b.warps[w].pending;
    while (*link != o) link = &(*link)->next;
    *link = o->next;
    o->unread = unsigned(__builtin_popcount(o->arrived));
    static auto &ranks = *new std::vector<unsigned>;
    for (unsigned lanes = o->arrived; lanes; lanes &= lanes - 1)
        ranks.push_back(w * 32 + unsigned(__builtin_ctz(lanes)));
    explored_meeting(b, ranks.data(), ranks.size(), nullptr, 0, nullptr);
    check::meet(ranks.data(), ranks.size(), nullptr, 0, check::meeting::of_warp);
    release(b, ranks);
}

void report_divergence(const warp_operation *o, int kind, const void *site) {
    static auto &known = *new std::set<std::pair<const void *, const void *>>;
    if (!known.insert(std::minmax(o->site, site)).second) return;
    std::string text = std::string(warp_kind_name(kind)) + " meets " + warp_kind_name(o->kind);
    record("warp-divergence").here().array("waiters", waiters(*active)).text("text", text).write();
}

}  // namespace

// For the report: which lanes an operation misses.
std::string warp_wait(const warp_operation *o, unsigned live) {
    char text[96];
    snprintf(text, sizeof text, "%s, mask 0x%08x (0x%08x missing)", warp_kind_name(o->kind), o->mask,
             o->mask & live & ~o->arrived);
    return text;
}

void warps_without(block &b, unsigned rank) {
    warp &w = b.warps[rank / 32];
    for (warp_operation *o = w.pending, *next; o; o = next) {
        next = o->next;
        if ((o->mask & w.live & ~o->arrived) == 0) complete(b, rank / 32, o);
    }
}

}  // namespace smux_cpu

using namespace smux_cpu;

warp_exchange smux_cpu_warp(unsigned mask, int kind, const void *value, size_t bytes) {
    block &b = *active;
    unsigned rank = now.rank, lane = rank % 32, me = 1u << lane;
    warp &w = b.warps[rank / 32];
    const void *site = __builtin_return_address(0);
    if (!(mask & me)) {
        char text[64];
        snprintf(text, sizeof text, "lane %u is not in its own mask 0x%08x", lane, mask);
        record("bad-barrier").here().text("text", text).fatal();
    }
    if ((mask & w.live) == me) {  // nobody to wait for
        static warp_operation alone;
        bring(&alone, lane, value, bytes);
        return {me, alone.values};
    }

    warp_operation *o = w.pending;
    while (o && (o->mask != mask || (o->arrived & me))) o = o->next;
    if (!o) {
        o = begin_operation(mask, kind, site);
        o->next = w.pending;
        w.pending = o;
    } else if (o->kind != kind) {
        report_divergence(o, kind, site);
    }
    bring(o, lane, value, bytes);
    o->arrived |= me;
    thread &t = b.threads[rank];
    t.what = state::at_warp;
    t.operation = o;
    t.site = site;
    t.frame = __builtin_frame_address(0);
    if ((mask & w.live & ~o->arrived) == 0) complete(b, rank / 32, o);
    wait_here(b);
    end_reading(o);
    return {o->arrived, o->values};
}

void smux_cpu_absent_lane(unsigned mask, unsigned lane, void *value, size_t bytes) {
    static const char *const fill = getenv("SMUX_LANE_FILL"), *const only = getenv("SMUX_FILL_KERNEL");
    static auto &known = *new std::set<const void *>;
    if (fill && (!only || strcmp(only, now.kernel) == 0)) memset(value, int(strtoul(fill, nullptr, 0)), bytes);
    if (!known.insert(__builtin_return_address(0)).second) return;
    char text[64];
    const char *why = "has ended";
    if (!(mask >> lane & 1)) why = "is not in the mask";
    else if ((now.rank & ~31u) + lane >= now.block_size) why = "is no thread of the block";
    snprintf(text, sizeof text, "lane %u %s (mask 0x%08x)", lane, why, mask);
    record("warp-divergence").here().text("text", text).write();
}

unsigned smux_cpu_live_lanes() { return active->warps[now.rank / 32].live; }

// Lanes of a real warp that take the same way meet at such a call, and code that asks for them is written for that
// (one atomic for all of them). So a lane lets the others of its warp run until each of them waits, has ended or
// gathers as well; one that spins is not waited for very long.
unsigned smux_cpu_active_lanes() {
    constexpr int rounds = 32;
    block &b = *active;
    unsigned rank = now.rank, first = rank & ~31u;
    thread &me = b.threads[rank];
    me.gathers = true;
    const void *site = __builtin_return_address(0);
    for (int round = 0; me.gathers; round++) {
        me.site = site;
        unsigned together = 0;
        bool can_run = false;
        for (unsigned lanes = b.warps[rank / 32].live; lanes; lanes &= lanes - 1) {
            const thread &t = b.threads[first + unsigned(__builtin_ctz(lanes))];
            if (t.gathers && t.site == site) together |= lanes & -lanes;
            else if (t.what == state::fresh || (t.what == state::ready && !t.gathers)) can_run = true;
        }
        if (can_run && round < rounds) {
            yield_at(site, __builtin_frame_address(0));
            continue;
        }
        for (unsigned lanes = together; lanes; lanes &= lanes - 1) {
            thread &t = b.threads[first + unsigned(__builtin_ctz(lanes))];
            t.gathers = false;
            t.together = together;
        }
        progress = progress + 1;
    }
    return me.together;
}
