// Constant memory: variables that kernels may only read. The translation tells of each behind its declaration, since neither the
// compiler nor the executable's symbols know the qualifier.
#include "check_constant.h"

#include <algorithm>
#include <vector>

#include "check_access.h"
#include "image.h"

namespace smux_cpu {
namespace check {
namespace {

struct constant {
    const char *base;
    size_t bytes;
};

// Told before main, in any order.
std::vector<constant> &constants() {
    static auto *all = new std::vector<constant>;
    return *all;
}

}  // namespace

bool is_constant(const void *p, size_t bytes) {
    const char *c = static_cast<const char *>(p);
    const auto &all = constants();
    auto after = std::upper_bound(all.begin(), all.end(), c, [](const char *at, const constant &v) { return at < v.base; });
    if (after == all.begin()) return false;
    const constant &v = *(after - 1);
    return size_t(c - v.base) < v.bytes && bytes <= v.bytes - size_t(c - v.base);
}

void constant_write(const void *p, size_t bytes, uint32_t pc) {
    if (!checks.bounds || !first_time("constant-write", pc)) return;
    record r("constant-write");
    r.here().flag("write", true).number("bytes", (long long)bytes).text("space", "constant");
    if (const image_variable *v = image_variable_at(p))
        r.text("variable", plain_name(v->name)).number("offset", static_cast<const char *>(p) - v->base);
    r.write();
}

}  // namespace check
}  // namespace smux_cpu

extern "C" void smux_cpu_constant_memory(const volatile void *p, size_t bytes) {
    using namespace smux_cpu::check;
    auto &all = constants();
    const constant v = {static_cast<const char *>(const_cast<const void *>(p)), bytes};
    all.insert(std::upper_bound(all.begin(), all.end(), v, [](const constant &a, const constant &b) { return a.base < b.base; }), v);
}
