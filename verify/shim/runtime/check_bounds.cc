#include "check_bounds.h"

#include "check_race.h"
#include "image.h"
#include "memory.h"

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

void allocated(void *p, size_t bytes, int) {
    if (!on) return;
    begin_bounds();
    size_t g = size_t(static_cast<char *>(p) - global_arena.low) / granule;
    for (; bytes >= granule; bytes -= granule) valid_bytes[g++] = granule;
    valid_bytes[g] = uint16_t(bytes);
}

void freed(void *p, size_t bytes) {
    if (!on || !valid_bytes) return;
    size_t g = size_t(static_cast<char *>(p) - global_arena.low) / granule;
    std::fill_n(valid_bytes + g, bytes / granule + 1, uint16_t(0));
}

// The API has checked what it writes; its writes come between launches and so can't race.
void host_wrote(const void *, size_t) {}

namespace {

constexpr int most_findings = 20;

std::string bytes_of(size_t n) { return std::to_string(n) + (n == 1 ? " byte" : " bytes"); }

// Where p lies from something of `size` bytes at base.
std::string relation(const char *p, const char *base, size_t size) {
    if (p < base) return bytes_of(size_t(base - p)) + " before the beginning of ";
    size_t past = size_t(p - base) - size;
    return past == 0 || p < base + size ? "just past the end of " : bytes_of(past) + " past the end of ";
}

void describe_global(record &r, const char *p) {
    allocation *a = allocation_below(p);
    auto after = allocations().upper_bound(const_cast<char *>(p));
    char *base;
    if (size_t size = freed_around(p, &base)) {
        r.number("offset", p - base).text("text", "freed: inside an allocation of " + bytes_of(size) + " that is no longer one");
        return;
    }
    // The nearer neighbour: one before an array is more often meant as its element -1.
    if (after != allocations().end() && (!a || after->first - p < p - (a->base + a->bytes))) a = &after->second;
    if (!a) {
        r.text("text", "there is no allocation near");
        return;
    }
    a->damaged = true;  // the canary need not tell it again
    r.number("offset", p - a->base).text("text", relation(p, a->base, a->bytes) + "an allocation of " + bytes_of(a->bytes));
    r.object("allocated", record(nullptr).pcs(a->made, a->depth));
}

void describe_shared(record &r, const char *p) {
    // The nearest variable, preferably one that this block uses; arrays are more often left at their end.
    const shared_variable *nearest = nullptr;
    size_t least = ~size_t(0), count = shared_variables();
    for (size_t i = 0; i < count; i++) {
        const shared_variable &v = shared_variable_number(i);
        if (v.bytes == 0 && i != 0) continue;
        size_t distance = p < v.base ? size_t(v.base - p) : size_t(p - v.base) < v.bytes ? 0 : size_t(p - v.base) - v.bytes;
        if (v.epoch != smux_cpu_epoch) distance += size_t(1) << 20;
        if (distance < least) least = distance, nearest = &v;
    }
    if (!nearest) return;
    const shared_variable &v = *nearest;
    r.text("variable", v.name);
    if (v.file) r.text("file", v.file).number("line", v.line);
    r.number("offset", p - v.base).text("text", relation(p, v.base, v.bytes) + v.name + " of " + bytes_of(v.bytes));
}

}  // namespace

void out_of_bounds(const void *p, size_t bytes, bool write, uint32_t pc, space where) {
    if (!first_time("out-of-bounds", pc)) return;
    record r("out-of-bounds");
    r.here().flag("write", write).number("bytes", (long long)bytes);
    r.text("space", where == space::shared ? "shared" : "global");
    if (where == space::shared) describe_shared(r, static_cast<const char *>(p));
    else describe_global(r, static_cast<const char *>(p));
    static int findings;
    if (++findings == most_findings) r.fatal();
    r.write();
}

}  // namespace check
}  // namespace smux_cpu
