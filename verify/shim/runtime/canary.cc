// Writes out of bounds that nobody saw happen, found by what they left in red zones: the only bounds check of plain
// builds, and in checked ones that of code that was compiled without the hooks. AddressSanitizer needs none of it.
#ifndef SMUX_CPU_ADDRESS
#include <unistd.h>

#include <cstring>

#include "check.h"
#include "memory.h"
#include "report.h"

namespace smux_cpu {
namespace {

const char *first_no_canary(const char *p, size_t bytes) {
    for (const char *end = p + bytes; p < end; p++)
        if ((unsigned char)*p != canary_at(p)) return p;
    return nullptr;
}

// The first byte in [p, p + bytes) that is not `fill`; null where all are.
const char *first_other(const char *p, size_t bytes, unsigned char fill) {
    uint64_t want = fill * 0x0101010101010101u, word;
    size_t i = 0;
    for (; i + 8 <= bytes; i += 8) {
        memcpy(&word, p + i, 8);
        if (word != want) break;
    }
    for (; i < bytes; i++)
        if ((unsigned char)p[i] != fill) return p + i;
    return nullptr;
}

size_t behind(const allocation &a) { return (a.bytes + red_zone - 1) / red_zone * red_zone + red_zone - a.bytes; }

std::string place(const char *p, const char *base, size_t bytes) {
    if (p < base) return std::to_string(base - p) + " bytes before the beginning of ";
    if (p == base + bytes) return "just past the end of ";
    return std::to_string(p - base - ptrdiff_t(bytes)) + " bytes past the end of ";
}

record finding(const char *spoilt, const char *base, size_t bytes) {
    record r("canary");
    if (now.kernel) r.text("kernel", now.kernel).number("launch", now.launch);
    r.flag("write", true).number("offset", spoilt - base).number("bytes", (long long)bytes);
    return r;
}

}  // namespace

void plant_canaries(const allocation &a) {
    fill_canaries(a.base - red_zone, red_zone);
    fill_canaries(a.base + a.bytes, behind(a));
}

void check_canary(allocation &a, const char *when) {
    if (a.damaged) return;
    const char *spoilt = first_no_canary(a.base + a.bytes, behind(a));
    if (!spoilt) spoilt = first_no_canary(a.base - red_zone, red_zone);
    if (!spoilt) return;
    a.damaged = true;
    record r = finding(spoilt, a.base, a.bytes);
    uintptr_t stack[64];
    r.pcs(stack, backtrace(stack, 64)).text("space", "global");
    r.object("other", record(nullptr).pcs(a.made, a.depth));
    r.text("text", "written " + place(spoilt, a.base, a.bytes) + "an allocation of " + std::to_string(a.bytes) +
                       " bytes, found " + when + "; the other place is where it was made");
    r.write();
}

// After each launch, some of them: a program with very many allocations must not pay for all of them each time.
void check_canaries(bool all) {
    if (measuring_extents()) return;
    constexpr size_t some = 256;
    static char *next;
    std::lock_guard<own_mutex> mine(allocations_lock());
    auto &table = allocations();
    const char *when = all ? "at the end of the program" : "after the launch";
    if (all || table.size() <= some) {
        for (auto &entry : table) check_canary(entry.second, when);
        return;
    }
    auto at = table.lower_bound(next);
    for (size_t i = 0; i < some; i++, ++at) {
        if (at == table.end()) at = table.begin();
        check_canary(at->second, when);
    }
    next = at == table.end() ? nullptr : at->first;
}

// After each block. Shared variables have 64 bytes of padding behind them, and what rounding adds.
void check_shared_canaries() {
    size_t count = shared_variables();
    for (size_t i = 0; i < count; i++) {
        const shared_variable &v = shared_variable_number(i);
        if (v.bytes == 0 || v.epoch != smux_cpu_epoch) continue;
        char *end = v.base + v.bytes;
        size_t room = 64;
        if (i == 0) {  // the dynamic array: up to the end of its last page, and no further
            size_t page = size_t(sysconf(_SC_PAGESIZE)), rest = (page - uintptr_t(end) % page) % page;
            room = rest < 256 ? rest : 256;
        }
        const char *spoilt = first_other(end, room, shared_fill());
        if (!spoilt) continue;
        record r = finding(spoilt, v.base, v.bytes);
        r.index("block", block_of(now.block)).text("space", "shared").text("variable", v.name);
        if (v.file) r.text("file", v.file).number("line", v.line);
        r.text("text", "written " + place(spoilt, v.base, v.bytes) + v.name + ", found after the block");
        memset(end, shared_fill(), room);
        if (check::first_time(v.name, now.launch)) r.write();
    }
}

}  // namespace smux_cpu
#else
#include "check.h"
#include "memory.h"

namespace smux_cpu {
void plant_canaries(const allocation &) {}
void check_canary(allocation &, const char *) {}
void check_canaries(bool) {}
void check_shared_canaries() {}
}  // namespace smux_cpu
#endif
