#include "neighbour.h"

#include "check.h"
#include "memory.h"

namespace smux_cpu {
namespace {

std::string bytes_of(size_t n) { return std::to_string(n) + (n == 1 ? " byte" : " bytes"); }

// Where p lies from something of `size` bytes at base.
std::string relation(const char *p, const char *base, size_t size) {
    if (p < base) return bytes_of(size_t(base - p)) + " before the beginning of ";
    size_t past = size_t(p - base) - size;
    return past == 0 || p < base + size ? "just past the end of " : bytes_of(past) + " past the end of ";
}

}  // namespace

void describe_by_allocation(record &r, const char *p) {
    allocation *a = allocation_below(p);
    auto after = allocations().upper_bound(const_cast<char *>(p));
    char *base;
    if (size_t size = freed_around(p, &base)) {
        r.number("offset", p - base).text("text", "freed: inside an allocation of " + bytes_of(size) + " that is no longer one");
        return;
    }
    if (a && a->ended && size_t(p - a->base) < a->bytes) {
        r.number("offset", p - a->base).text("text", "freed: inside an allocation of " + bytes_of(a->bytes) + " that is no longer one");
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

void describe_by_variable(record &r, const char *p) {
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

}  // namespace smux_cpu

using namespace smux_cpu;

void *smux_cpu_kernel_malloc(size_t bytes) {
    void *p = smux_cpu_allocate(bytes, 0);
    if (!p) return nullptr;
    std::lock_guard<own_mutex> mine(allocations_lock());
    allocations()[static_cast<char *>(p)].of_kernel = true;
    return p;
}

void smux_cpu_kernel_free(void *p) {
    if (!p) return;
    size_t bytes = 0;
    const char *wrong = nullptr;
    {
        std::lock_guard<own_mutex> mine(allocations_lock());
        auto found = allocations().find(static_cast<char *>(p));
        if (found == allocations().end() || !found->second.of_kernel) {
            wrong = "it frees what malloc in a kernel did not give";
        } else if (found->second.ended) {
            wrong = "it frees what was freed before";
        } else {
            found->second.ended = true;
            bytes = found->second.bytes;
        }
    }
    static int told;
    if (!wrong) check::freed(p, bytes);
    else if (told++ < 20) record("out-of-bounds").here().text("text", wrong).write();
}
