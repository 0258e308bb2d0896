#include "check_region.h"

#include <sys/mman.h>

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "check_clock.h"
#include "check_uninitialised.h"

namespace smux_cpu {
namespace check {

bool regions_matter;

namespace {

// The last write of a byte of shared memory, and who uses the byte.
struct byte_history {
    uint32_t stamp;   // the block that all this belongs to
    uint32_t region;  // of the writer: its v-TB's how manyth; 0 outside
    uint32_t pc;
    uint16_t writer;  // v-TB + 1; 0: not written in this block
    uint16_t user;    // the only v-TB + 1 that has accessed it, several, or 0
    uint64_t writers; // bit per v-TB that has written it; more than 64 share bits
};
constexpr uint16_t several = 0xffff;
byte_history *histories;

// Where a thread is. All threads of a v-TB pass the same regions, so each can count for itself.
struct position { uint16_t vtb; bool inside; uint32_t region; };  // vtb: + 1; 0 while unknown
position positions[most_threads_of_a_block];

uint64_t bit(uint16_t vtb) { return uint64_t(1) << vtb % 64; }

// Findings that matter if another v-TB comes to use the byte, by address.
struct suspicion { const char *code; uint32_t pc; std::string json; };
bool any_suspicions;
std::unordered_map<const char *, std::vector<suspicion>> &suspicions() {
    static auto *all = new std::unordered_map<const char *, std::vector<suspicion>>;
    return *all;
}
constexpr size_t most_suspicions = 4096;

std::string of_region(unsigned vtb, uint32_t region) {
    std::string text = "virtual block " + std::to_string(vtb - 1u);
    return text + (region ? " in its region " + std::to_string(region) : " outside its regions");
}

record finding(const char *code, const char *p, size_t bytes, bool write, const byte_history &h, const position &me) {
    record r(code);
    r.here().flag("write", write);
    describe(r, p, bytes, space::shared);
    std::string text = (write ? "written by " : "read by ") + of_region(me.vtb, me.inside ? me.region : 0);
    if (h.writer) {
        uintptr_t pc = h.pc;
        r.object("other", record(nullptr).index("block", block_of(now.block)).pcs(&pc, 1).flag("write", true));
        text += ", last written by " + of_region(h.writer, h.region);
    }
    r.text("text", text);
    return r;
}

void suspect(const char *code, const char *p, size_t bytes, bool write, uint32_t pc, const byte_history &h, const position &me) {
    if (h.user == several) {
        if (first_time(code, pc)) finding(code, p, bytes, write, h, me).write();
        return;
    }
    if (suspicions().size() >= most_suspicions) return;
    any_suspicions = true;
    std::vector<suspicion> &here = suspicions()[p];
    for (const suspicion &s : here)
        if (s.code == code && s.pc == pc) return;
    here.push_back({code, pc, finding(code, p, bytes, write, h, me).json()});
}

// Another v-TB has come to a byte.
void confirm(const char *p) {
    auto here = suspicions().find(p);
    if (here == suspicions().end()) return;
    for (const suspicion &s : here->second)
        if (first_time(s.code, s.pc)) record::ready_made(s.json).write();
    suspicions().erase(here);
}

}  // namespace

void forget_regions() {
    if (histories) madvise(histories, size_t(shared_arena.high - shared_arena.low) * sizeof *histories, MADV_DONTNEED);
}

void begin_region_block(unsigned threads) {
    regions_matter = false;
    set_quick();
    std::fill_n(positions, threads, position{0, false, 0});
    if (any_suspicions) suspicions().clear();
    any_suspicions = false;
}

// Looks at each byte by itself: rows of split arrays may end in the middle of a word.
void region_access(const void *address, size_t bytes, manner how, uint32_t pc) {
    const position &me = positions[now.rank];
    if (me.vtb == 0) return;
    // The leaders of v-TBs take slots by atomics before and after their regions.
    if (how.is_strong() && !me.inside) return;
    const char *p = static_cast<const char *>(address);
    bool reads = !how.write || (how.is_strong() && (!how.blind || how.exchanges));
    bool told = false;  // one finding for the whole access
    for (size_t i = 0; i < bytes; i++) {
        byte_history &h = histories[p + i - shared_arena.low];
        if (h.stamp != block->stamp) h = {block->stamp, 0, 0, 0, 0, 0};
        if (h.user == 0) {
            h.user = me.vtb;
        } else if (h.user != me.vtb && h.user != several) {
            h.user = several;
            if (any_suspicions) confirm(p + i);
        }
        if (!told) {
            const char *code = nullptr;
            if (reads && h.writer && h.writer != me.vtb && !(h.writers & bit(me.vtb))) {
                // The block that the v-TB stands for would find here what nobody has written.
                told = true;
                uninitialised_read(p + i, bytes - i, pc, space::shared, "another virtual block has, but not the one that reads");
            } else if (reads && h.writer && h.writer != me.vtb) code = "region-other";
            else if (!me.inside && (how.write || h.writer)) code = "region-outside";
            else if (reads && h.writer && h.region != me.region) code = "region-earlier";
            if (code) {
                told = true;
                suspect(code, p + i, bytes - i, how.write, pc, h, me);
            }
        }
        if (how.write) {
            h.writer = me.vtb;
            h.writers |= bit(me.vtb);
            h.region = me.inside ? me.region : 0;
            h.pc = pc;
        }
    }
}

}  // namespace check
}  // namespace smux_cpu

using namespace smux_cpu;
using namespace smux_cpu::check;

void smux_cpu_vtb(unsigned id, unsigned count) {
    if (!on || !checks.region || !check::block || check::block->resumed || !smux_cpu_in_kernel) return;
    if (!histories) {
        size_t bytes = size_t(shared_arena.high - shared_arena.low);
        histories = static_cast<byte_history *>(reserve_shadow((bytes + 16) * sizeof *histories));
        if (!histories) smux_cpu_not_supported("no address space for the check of regions");
    }
    if (id >= count) return;  // has nothing to do
    positions[now.rank].vtb = uint16_t(id + 1);
    if (count > 1 && !regions_matter) {
        regions_matter = true;
        set_quick();
    }
}

void smux_cpu_region_begin() {
    if (!on || !check::block || !smux_cpu_in_kernel) return;
    position &me = positions[now.rank];
    me.inside = true;
    me.region++;
}

void smux_cpu_region_end() {
    if (!on || !check::block || !smux_cpu_in_kernel) return;
    positions[now.rank].inside = false;
}
