// The order of keys in a radix sort: that of their bits, made monotonic in their value.
#pragma once
#include "smux_cpu/names_begin.h"
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "cub/util_type.cuh"

namespace cub {

// The key as a number that orders as the key does: the sign bit is turned, and of negative floats all bits.
template <class K> uint64_t radix_bits(const K &key) {
    static_assert(sizeof(K) <= 8, "keys of a radix sort are numbers");
    constexpr int bits = 8 * sizeof(K);
    constexpr uint64_t sign = uint64_t{1} << (bits - 1), all = sign | (sign - 1);
    uint64_t number = 0;
    memcpy(&number, &key, sizeof(K));
    if (std::is_integral<K>::value) return std::is_signed<K>::value ? number ^ sign : number;
    if (number == sign) number = 0;  // -0 and +0 are equal
    return number & sign ? ~number & all : number | sign;
}

template <class K> bool radix_less(const K &a, const K &b, int begin, int end, bool descending) {
    const int width = end - begin;
    const uint64_t mask = width >= 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
    const uint64_t x = radix_bits(a) >> begin & mask, y = radix_bits(b) >> begin & mask;
    return descending ? y < x : x < y;
}

}  // namespace cub
#include "smux_cpu/names_end.h"
