// cub::TransformInputIterator: what a function makes of the elements of another sequence.
#pragma once
#include "smux_cpu/names_begin.h"
#include <cstddef>
#include <iterator>

namespace cub {

template <class T, class Function, class In, class Offset = ptrdiff_t> struct TransformInputIterator {
    typedef std::random_access_iterator_tag iterator_category;
    typedef T value_type;
    typedef Offset difference_type;
    typedef const T *pointer;
    typedef T reference;

    In in;
    Function function;
    TransformInputIterator(In i, Function f) : in(i), function(f) {}
    T operator*() const { return function(*in); }
    template <class N> T operator[](N n) const { return function(in[n]); }
    template <class N> TransformInputIterator operator+(N n) const { return {in + n, function}; }
    template <class N> TransformInputIterator operator-(N n) const { return {in - n, function}; }
    TransformInputIterator &operator++() { return ++in, *this; }
    bool operator==(const TransformInputIterator &other) const { return in == other.in; }
    bool operator!=(const TransformInputIterator &other) const { return in != other.in; }
};

}  // namespace cub
#include "smux_cpu/names_end.h"
