// Sums of floating-point numbers by atomics, without an error until they are stored: so they don't depend on the order of
// the threads. What stands in memory is always the exact sum, rounded once.
//
// A sum is a list of doubles that do not overlap, smallest first (Shewchuk, "Adaptive Precision Floating-Point Arithmetic"):
// one or two of them in most programs. It lasts for a launch, and until something else is found in its word.
#include "sums.h"

#include <cmath>
#include <cstring>
#include <unordered_map>
#include <vector>

#include "engine.h"

struct smux_cpu_sum {
    double stored;  // in memory
    std::vector<double> parts;
};

namespace smux_cpu {
namespace {

constexpr size_t most_sums = size_t(1) << 22;
std::unordered_map<const void *, smux_cpu_sum> &sums() {
    static auto *all = new std::unordered_map<const void *, smux_cpu_sum>;
    return *all;
}

void add(std::vector<double> &parts, double x) {
    size_t kept = 0;
    for (double y : parts) {
        if (std::fabs(x) < std::fabs(y)) std::swap(x, y);
        const double high = x + y, low = y - (high - x);
        if (low != 0) parts[kept++] = low;
        x = high;
    }
    parts.resize(kept);
    parts.push_back(x);
}

// Rounded to nearest, or, where it is to be rounded once more to fewer digits, to an odd last digit if it is not exact.
double rounded(const std::vector<double> &parts, bool once) {
    size_t left = parts.size() - 1;
    double high = parts[left], low = 0;
    while (left > 0 && low == 0) {
        const double x = high, y = parts[--left];
        high = x + y;
        low = y - (high - x);
    }
    if (low == 0) return high;
    if (once) {
        // What is left may make more than a half of it.
        const double twice = low * 2, next = high + twice;
        return left > 0 && (low < 0) == (parts[left - 1] < 0) && twice == next - high ? next : high;
    }
    uint64_t bits;
    memcpy(&bits, &high, sizeof bits);
    return bits & 1 ? high : std::nextafter(high, low > 0 ? INFINITY : -INFINITY);
}

}  // namespace

bool summed;

void begin_sums() {
    if (!sums().empty()) sums().clear();
}

}  // namespace smux_cpu

using namespace smux_cpu;

double smux_cpu_add(const void *address, double old, double addend, bool once, smux_cpu_sum **of) {
    *of = nullptr;
    auto at = sums().find(address);
    if (at == sums().end()) {
        if (sums().size() == most_sums) return old + addend;
        at = sums().emplace(address, smux_cpu_sum{old, {old}}).first;
    }
    smux_cpu_sum &s = at->second;
    if (!(s.stored == old)) s = {old, {old}};
    if (old == 0 && addend == 0 && s.parts.size() == 1) return old + addend;  // the sign of a zero
    summed = true;
    add(s.parts, addend);
    if (!std::isfinite(s.parts.back())) {
        s.parts = {old + addend};
        return old + addend;
    }
    *of = &s;
    return rounded(s.parts, once);
}

void smux_cpu_stored(smux_cpu_sum *of, double value) {
    if (of) of->stored = value;
}
