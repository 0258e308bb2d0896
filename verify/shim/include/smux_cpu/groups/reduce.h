// Reductions and scans over the lanes of a group. Values are taken in the order of ranks; the device's own order
// is a tree, which matters to floating sums only.
#pragma once
#include "smux_cpu/groups/lanes.h"

namespace cooperative_groups {

template <class T = void> struct plus { T operator()(T a, T b) const { return a + b; } };
template <class T = void> struct less { T operator()(T a, T b) const { return b < a ? b : a; } };
template <class T = void> struct greater { T operator()(T a, T b) const { return a < b ? b : a; } };
template <class T = void> struct bit_and { T operator()(T a, T b) const { return a & b; } };
template <class T = void> struct bit_or { T operator()(T a, T b) const { return a | b; } };
template <class T = void> struct bit_xor { T operator()(T a, T b) const { return a ^ b; } };
template <> struct plus<void> { template <class T> T operator()(T a, T b) const { return a + b; } };
template <> struct less<void> { template <class T> T operator()(T a, T b) const { return b < a ? b : a; } };
template <> struct greater<void> { template <class T> T operator()(T a, T b) const { return a < b ? b : a; } };
template <> struct bit_and<void> { template <class T> T operator()(T a, T b) const { return a & b; } };
template <> struct bit_or<void> { template <class T> T operator()(T a, T b) const { return a | b; } };
template <> struct bit_xor<void> { template <class T> T operator()(T a, T b) const { return a ^ b; } };

template <class Group, class T, class Operation>
SMUX_CPU_INLINE T reduce(const Group &group, T value, Operation operation) {
    return smux_cpu::exchange(group.smux_lanes(), smux_cpu::warp_reduce, value).fold(operation);
}

namespace details {
// Folds the lanes before the calling one, and that one itself where asked. False: there are none.
template <class T, class Operation>
inline bool fold_before(const smux_cpu::exchanged<T> &e, bool own, Operation operation, T *result) {
    unsigned me = smux_cpu::lane();
    unsigned left = e.members() & ((1u << me) - 1 | (own ? 1u << me : 0));
    if (left == 0) return false;
    *result = e.of(unsigned(__builtin_ctz(left)));
    while (left &= left - 1) *result = operation(*result, e.of(unsigned(__builtin_ctz(left))));
    return true;
}
}  // namespace details

template <class Group, class T, class Operation = plus<T>>
SMUX_CPU_INLINE T inclusive_scan(const Group &group, T value, Operation operation = Operation()) {
    smux_cpu::exchanged<T> e = smux_cpu::exchange(group.smux_lanes(), smux_cpu::warp_reduce, value);
    T result = value;
    details::fold_before(e, true, operation, &result);
    return result;
}
// The first lane gets a zero.
template <class Group, class T, class Operation = plus<T>>
SMUX_CPU_INLINE T exclusive_scan(const Group &group, T value, Operation operation = Operation()) {
    smux_cpu::exchanged<T> e = smux_cpu::exchange(group.smux_lanes(), smux_cpu::warp_reduce, value);
    T result{};
    details::fold_before(e, false, operation, &result);
    return result;
}

}  // namespace cooperative_groups
