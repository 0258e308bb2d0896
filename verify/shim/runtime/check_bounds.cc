#include "check_bounds.h"

#include "check_race.h"
#include "memory.h"
#include "neighbour.h"
#include "shared.h"

namespace smux_cpu {
namespace check {

uint16_t *valid_bytes;
uint8_t *valid_of_word;
const shared_variable *dynamic_array;

void begin_bounds() {
    if (!valid_bytes) {
        size_t device = size_t(global_arena.high - global_arena.low);
        valid_bytes = static_cast<uint16_t *>(reserve_shadow((device / granule + 1) * sizeof *valid_bytes));
    }
    if (!valid_bytes) smux_cpu_not_supported("no address space for the bounds check");
}

void begin_shared_bounds() {
    dynamic_array = &shared_variable_number(0);
    if (!valid_of_word && shared_arena.low)
        valid_of_word = static_cast<uint8_t *>(reserve_shadow(size_t(shared_arena.high - shared_arena.low) / 4 + 8));
    if (!valid_of_word) smux_cpu_not_supported("no address space for the bounds check");
}

// Fills in how much of a word belongs to a variable. False for one of none, which is not remembered: a variable
// may come to lie there.
bool ask_shared(size_t number) {
    const char *p = shared_arena.low + number * 4;
    const shared_variable *v = shared_variable_at(p);
    if (!v || v == dynamic_array) return false;
    valid_of_word[number] = uint8_t(1 + std::min<size_t>(4, size_t(v->base + v->bytes - p)));
    return true;
}

size_t inner_bytes(const void *p) {
    const char *c = static_cast<const char *>(p);
    const shared_variable *v = shared_variable_at(c);
    return v ? size_t(v->base + v->bytes - c) : 0;
}

void allocated(void *p, size_t bytes, int) {
    if (!on || measuring_extents()) return;  // all accesses are looked at there
    begin_bounds();
    size_t g = size_t(static_cast<char *>(p) - global_arena.low) / granule;
    for (; bytes >= granule; bytes -= granule) valid_bytes[g++] = granule;
    valid_bytes[g] = uint16_t(bytes);
}

void freed(void *p, size_t bytes) {
    if (!on || !valid_bytes) return;
    size_t g = size_t(static_cast<char *>(p) - global_arena.low) / granule;
    std::fill_n(valid_bytes + g, bytes / granule + 1, uint16_t(0));
    disarm(g * granule, bytes);
}

// The API has checked what it writes; its writes come between launches and so can't race.
void host_wrote(const void *, size_t) {}

static constexpr int most_findings = 20;

// What lies outside is read as poison, whatever an earlier write left there: so a write goes nowhere, and the run goes on
// as it would with the next bytes of another allocation unknown to it.
static void poison_outside(char *p, size_t bytes, space where) {
    for (size_t i = 0; i < bytes; i++) {
        char *c = p + i;
        if (where == space::global && c < global_arena.high && !inside_allocation(c, 1)) fill_canaries(c, 1);
        if (where == space::shared && is_shared_memory(c) && !inside_shared_variable(c, 1)) *c = char(shared_fill());
    }
}

void out_of_bounds(const void *p, size_t bytes, bool write, uint32_t pc, space where) {
    if (measuring_extents() && where == space::global && note_extent(p, bytes)) return;
    if (!write) poison_outside(static_cast<char *>(const_cast<void *>(p)), bytes, where);
    static int findings;
    if (findings == most_findings || !first_time("out-of-bounds", pc)) return;
    findings++;
    record r("out-of-bounds");
    r.here().flag("write", write).number("bytes", (long long)bytes);
    r.text("space", where == space::shared ? "shared" : "global");
    if (where == space::shared) describe_by_variable(r, static_cast<const char *>(p));
    else describe_by_allocation(r, static_cast<const char *>(p));
    r.write();
}

}  // namespace check
}  // namespace smux_cpu
