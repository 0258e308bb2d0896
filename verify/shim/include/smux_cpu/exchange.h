// How warp-level functions look at what the lanes of a mask have brought.
#pragma once
#include <cstring>
#include <type_traits>

#include "smux_cpu/abi.h"
#include "smux_cpu/warp_kinds.h"

namespace smux_cpu {

SMUX_CPU_INLINE unsigned lane() { return smux_cpu_rank() & 31; }

// The values of all lanes that met. Valid until the thread's next call of the runtime.
template <class T> struct exchanged {
    static_assert(std::is_trivially_copyable<T>::value && sizeof(T) <= 32, "lanes exchange plain values of up to 32 bytes");
    warp_exchange all;

    unsigned members() const { return all.members; }
    bool has(unsigned lane) const { return lane < 32 && (all.members >> lane & 1); }
    T of(unsigned lane) const {
        T value;
        memcpy(&value, all.values + 32 * lane, sizeof(T));
        return value;
    }
    // A result made of what these lanes, of an operation with this mask, should have brought.
    SMUX_CPU_INLINE T made_of(unsigned mask, unsigned lanes, T result) const {
        if (unsigned absent = lanes & ~all.members) smux_cpu_absent_lane(mask, unsigned(__builtin_ctz(absent)), &result, sizeof result);
        return result;
    }
    // What a shuffle from a lane of the own segment gives.
    SMUX_CPU_INLINE T from(unsigned mask, unsigned lane, T own) const {
        return made_of(mask, 1u << lane, has(lane) ? of(lane) : own);
    }
    // Lanes that brought the same bits.
    unsigned equal_to(const T &value) const {
        unsigned lanes = 0;
        for (unsigned l = 0; l < 32; l++)
            if (has(l) && memcmp(all.values + 32 * l, &value, sizeof(T)) == 0) lanes |= 1u << l;
        return lanes;
    }
    // In the order of lanes; the device's own order is a tree, which matters to floating sums only.
    template <class Operation> T fold(Operation operation) const {
        unsigned left = all.members;
        T result = of(unsigned(__builtin_ctz(left)));
        while (left &= left - 1) result = operation(result, of(unsigned(__builtin_ctz(left))));
        return result;
    }
};

template <class T> SMUX_CPU_INLINE exchanged<T> exchange(unsigned mask, int kind, const T &value) {
    return {smux_cpu_warp(mask, kind, &value, sizeof(T))};
}

// Lanes of the mask whose predicate holds.
SMUX_CPU_INLINE unsigned vote(unsigned mask, bool predicate, unsigned *members = nullptr) {
    exchanged<bool> e = exchange(mask, warp_vote, predicate);
    if (members) *members = e.members();
    return e.equal_to(true);
}

}  // namespace smux_cpu
