// Binary operations that CUB's algorithms take.
#pragma once
#include "smux_cpu/names_begin.h"
#include "cub/util_type.cuh"

namespace cub {

struct Sum {
    template <class T> T operator()(const T &a, const T &b) const { return T(a + b); }
};
struct Max {
    template <class T> T operator()(const T &a, const T &b) const { return b > a ? b : a; }
};
struct Min {
    template <class T> T operator()(const T &a, const T &b) const { return b < a ? b : a; }
};
struct Equality {
    template <class T> bool operator()(const T &a, const T &b) const { return a == b; }
};
struct Inequality {
    template <class T> bool operator()(const T &a, const T &b) const { return a != b; }
};

// Of pairs of an index and a value, the one with the extreme value; of equal ones the first.
struct ArgMax {
    template <class K, class V> KeyValuePair<K, V> operator()(const KeyValuePair<K, V> &a, const KeyValuePair<K, V> &b) const {
        return b.value > a.value || (a.value == b.value && b.key < a.key) ? b : a;
    }
};
struct ArgMin {
    template <class K, class V> KeyValuePair<K, V> operator()(const KeyValuePair<K, V> &a, const KeyValuePair<K, V> &b) const {
        return b.value < a.value || (a.value == b.value && b.key < a.key) ? b : a;
    }
};

}  // namespace cub
#include "smux_cpu/names_end.h"
