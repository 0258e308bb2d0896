// cub::CountingInputIterator: a sequence of consecutive numbers.
#pragma once
#include "smux_cpu/names_begin.h"
#include <cstddef>
#include <iterator>

namespace cub {

template <class T, class Offset = ptrdiff_t> struct CountingInputIterator {
    typedef std::random_access_iterator_tag iterator_category;
    typedef T value_type;
    typedef Offset difference_type;
    typedef const T *pointer;
    typedef T reference;

    T first;
    CountingInputIterator(const T &value) : first(value) {}
    T operator*() const { return first; }
    template <class N> T operator[](N n) const { return T(first + n); }
    template <class N> CountingInputIterator operator+(N n) const { return T(first + n); }
    template <class N> CountingInputIterator operator-(N n) const { return T(first - n); }
    Offset operator-(const CountingInputIterator &other) const { return Offset(first - other.first); }
    CountingInputIterator &operator++() { return ++first, *this; }
    bool operator==(const CountingInputIterator &other) const { return first == other.first; }
    bool operator!=(const CountingInputIterator &other) const { return first != other.first; }
};

}  // namespace cub
#include "smux_cpu/names_end.h"
