// What the engine tells the checker, handed on to its parts.
#include "check.h"

#include <cstdlib>
#include <cstring>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "check_access.h"
#include "check_sync.h"
#include "explore.h"
#include "image.h"
#include "memory.h"

extern char etext;  // the end of the program's code

namespace smux_cpu {
namespace check {

bool on;
selection checks;
uint32_t first_stamp = 1;
uintptr_t place_base;

namespace {

bool places_suffice;  // for all places of the program
uint32_t next_stamp = 1;
uint32_t launch_stamp = 1;                // the first of the running launch
bool fenced_for_host;  // before the last meeting of the grid

struct block_states {
    std::vector<uint32_t> linear_of_stamps;  // from launch_stamp on
    std::vector<std::unique_ptr<block_state>> idle;
    std::unordered_map<unsigned, std::unique_ptr<block_state>> aside;  // by linear index
    std::unique_ptr<block_state> running;
};
block_states &blocks() {
    static auto *all = new block_states;  // see memory.cc on the life of such things
    return *all;
}

// Copies what is known of a variable out of the shadow memory, or back.
template <class F> void each_shadow(const shared_variable &v, shadow &kept, F &&copy) {
    const size_t first = size_t(v.base - shared_arena.low) / word, words = (v.bytes + word - 1) / word;
    kept.of = &v;
    auto of = [&](auto *all, std::vector<char> &some) {
        some.resize(words * sizeof *all);
        copy(reinterpret_cast<char *>(all + first), some);
    };
    of(shared_shadow.write, kept.write);
    of(shared_shadow.read, kept.read);
    of(shared_shadow.older, kept.older);
    of(written_words, kept.written);
}

// What the running block did to its shared variables, before others use the same memory.
void keep_shadows() {
    block->era = era;
    for (size_t i = 0; i < shared_variables(); i++) {
        const shared_variable &v = shared_variable_number(i);
        if (v.epoch != smux_cpu_epoch) continue;
        block->kept.emplace_back();
        each_shadow(v, block->kept.back(), [](char *at, std::vector<char> &copy) { memcpy(copy.data(), at, copy.size()); });
    }
    if (block->kept.empty()) block->kept.push_back(shadow());
}

void take_shadows() {
    for (shadow &kept : block->kept)
        if (kept.of && block->era == era) each_shadow(*kept.of, kept, [](char *at, std::vector<char> &copy) { memcpy(at, copy.data(), copy.size()); });
    block->kept.clear();
}

selection chosen() {
    const char *text = getenv("SMUX_CHECKS");
    if (!text) return {true, true, true, true, true};
    std::string list = std::string(",") + text + ",";
    auto has = [&](const char *name) { return list.find("," + std::string(name) + ",") != std::string::npos; };
    return {has("race"), has("bounds"), has("uninitialised"), has("region"), has("host")};
}

// Stamps begin again when they are used up, some sixteen million blocks later: nothing that holds one survives.
void begin_stamps() {
    forget_cells();
    begin_times();
    forget_written();
    forget_regions();
    begin_sync();
    next_stamp = first_stamp = launch_stamp = 1;
    blocks().linear_of_stamps.clear();
}

void new_stamp() {
    if (next_stamp >> stamp_bits) begin_stamps();
    block->stamp = next_stamp++;
    begin_period();
    blocks().linear_of_stamps.push_back(block->linear);
}

}  // namespace

void start() {
    if (on) return;
    checks = chosen();
    const char *here = reinterpret_cast<const char *>(&start);
    place_base = uintptr_t(here) - 1 - relative_pc(here);
    places_suffice = relative_pc(&etext) >> (place_bits + 2) == 0;
    reserve_global_arena();
    reserve_cells();
    begin_bounds();
    on = true;
    set_quick();
}

void set_quick() {
    const bool may_be = checks.race && checks.bounds && !unjudged && places_suffice;
    quick.global_low = uintptr_t(global_arena.low);
    quick.global_bytes = may_be ? global_bytes_covered() : 0;
    quick.granules = granules;
    quick.global = global_shadow;
    quick.shared_low = uintptr_t(shared_arena.low);
    quick.all_shared_bytes = size_t(shared_arena.high - shared_arena.low);
    quick.shared_bytes = may_be && !regions_matter && !in_flight_bytes ? quick.all_shared_bytes : 0;
    quick.shared = shared_shadow;
    quick.variables_low = uintptr_t(variables.low);
    quick.variables_bytes = size_t(variables.high - variables.low);
    quick.elsewhere = may_be && !host_arguments;
}

void program_begin() {}

void launch_begin(const void *stream) {
    if (!on) return;
    renew_chunks();
    static auto &names = *new std::unordered_set<std::string>;
    bool alone = true;
    if (checks.race) alone = begin_operation(queue_of(stream), names.insert(std::string("kernel ") + now.kernel).first->c_str(), true);
    else order_times();
    if (alone) begin_sync();
    begin_pairs(now.kernel);
    reserve_shared_cells();
    begin_shared_bounds();
    set_quick();
    begin_uninitialised();
    if (next_stamp >> (stamp_bits - 1)) begin_stamps();
    first_stamp = launch_stamp = next_stamp;
    blocks().linear_of_stamps.clear();
    blocks().aside.clear();
}

void launch_end() {
    if (on) flush();
    if (on && news_were_forgotten()) unchecked_launches++;
    check_canaries(false);
}

void program_end() {
    if (on) flush();
    check_canaries(true);
}

void block_begin(unsigned threads) {
    if (!on) return;
    if (blocks().idle.empty()) blocks().idle.emplace_back(new block_state);
    blocks().running = std::move(blocks().idle.back());
    blocks().idle.pop_back();
    block = blocks().running.get();
    block->linear = now.block;
    begin_clocks(threads);
    new_stamp();
    begin_region_block(threads);
}

void block_end() {
    if (!(on && checks.bounds)) check_shared_canaries();
    if (!on) return;
    if (unjudged) judge();
    blocks().idle.push_back(std::move(blocks().running));
    block = nullptr;
}

void block_suspend(unsigned linear) {
    if (!on) return;
    if (unjudged) judge();
    if (exploring) keep_shadows();
    blocks().aside[linear] = std::move(blocks().running);
    block = nullptr;
}

void block_resume(unsigned linear, unsigned threads) {
    if (!on) return;
    blocks().running = std::move(blocks().aside[linear]);
    block = blocks().running.get();
    block->resumed = true;
    if (block->kept.empty()) block->forgot = true;
    else take_shadows();
    begin_period();
    begin_region_block(threads);  // off from here on: what the arena held is not followed across other blocks
    if (block->stamp >= first_stamp) return;
    // All blocks have met in between: what came before is ordered, as that of an earlier launch.
    new_stamp();
    for (knowledge &k : block->threads) k = knowledge();
    block->tellings.clear();
    if (fenced_for_host) tell_of_grid();
}

void grid_meet() {
    if (!on) return;
    fenced_for_host = false;
    for (const auto &entry : blocks().aside)
        for (const telling &t : entry.second->tellings) fenced_for_host = fenced_for_host || t.fences[to_host];
    first_stamp = next_stamp;
    order_times();
    begin_sync();
}

uint32_t linear_of_stamp(uint32_t stamp) {
    size_t i = stamp - launch_stamp;
    return i < blocks().linear_of_stamps.size() ? blocks().linear_of_stamps[i] : 0;
}

__attribute__((noinline)) void access_out_of_line(const void *p, size_t bytes, manner how, const void *return_address) {
    access(p, bytes, how, return_address);
}

// The pc is that of the atomic operation in the program, the address anything's.
void atomic(const void *address, size_t bytes, char kind, int order, const void *pc) {
    if (!on || !block || !smux_cpu_in_kernel) return;
    const strength strong = order & ordering::in_thread ? strength::weak : order & ordering::in_block ? strength::in_block : strength::everywhere;
    access_out_of_line(address, bytes, {kind != 'r', strong, order, kind == 's' || kind == 'x', kind == 'c', kind == 'x'}, pc);
}

bool first_time(const char *code, uintptr_t pc) {
    static auto *seen = new std::unordered_set<uint64_t>;
    uint64_t kind = 0;
    for (const char *c = code; *c; c++) kind = kind * 31 + (unsigned char)*c;
    return seen->insert(kind << 32 ^ pc).second;
}

void describe(record &r, const void *address, size_t bytes, space where) {
    const char *p = static_cast<const char *>(address);
    r.number("bytes", (long long)bytes);
    if (where == space::shared) {
        r.text("space", "shared");
        const shared_variable *v = shared_variable_at(p);
        if (!v) return;
        r.text("variable", v->name);
        if (v->file) r.text("file", v->file).number("line", v->line);
        r.number("offset", p - v->base);
        return;
    }
    r.text("space", "global");
    if (where == space::variable) {
        if (const image_variable *v = image_variable_at(p)) r.text("variable", plain_name(v->name)).number("offset", p - v->base);
        return;
    }
    const allocation *a = allocation_below(p);
    if (a && p < a->base + a->bytes) r.number("offset", p - a->base);
}

}  // namespace check
}  // namespace smux_cpu
