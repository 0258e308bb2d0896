// Reductions and scans over the lanes of a group. Values are taken in the order of ranks; the device's own order
// is a tree, which matters to floating sums only. Programs see them by headers of their own.
#pragma once
#include "smux_cpu/groups/lanes.h"

namespace cooperative_groups {
namespace folds {

namespace operators {

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

}  // namespace operators

template <class Group, class T, class Operation>
SMUX_CPU_INLINE T reduce(const Group &group, T value, Operation operation) {
    const unsigned lanes = group.smux_lanes();
    smux_cpu::exchanged<T> e = smux_cpu::exchange(lanes, smux_cpu::warp_reduce, value);
    return e.made_of(lanes, lanes, e.fold(operation));
}

// Folds the lanes of a group before the calling one, and that one itself where asked. Where there are none, it is `none`.
template <class T, class Operation>
SMUX_CPU_INLINE T fold_before(unsigned lanes, const T &value, bool own, Operation operation, T none) {
    smux_cpu::exchanged<T> e = smux_cpu::exchange(lanes, smux_cpu::warp_reduce, value);
    const unsigned me = 1u << smux_cpu::lane(), wanted = lanes & (me - 1 | (own ? me : 0));
    e.all.members &= wanted;
    return e.made_of(lanes, wanted, e.members() ? e.fold(operation) : none);
}

template <class Group, class T, class Operation = operators::plus<T>>
SMUX_CPU_INLINE T inclusive_scan(const Group &group, T value, Operation operation = Operation()) {
    return fold_before(group.smux_lanes(), value, true, operation, value);
}
// The first lane gets a zero.
template <class Group, class T, class Operation = operators::plus<T>>
SMUX_CPU_INLINE T exclusive_scan(const Group &group, T value, Operation operation = Operation()) {
    return fold_before(group.smux_lanes(), value, false, operation, T{});
}

}  // namespace folds
}  // namespace cooperative_groups
