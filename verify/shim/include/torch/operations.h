// Operations of PyTorch on whole tensors, by the host: numbers are doubles, rounded once. Two tensors have one shape.
#pragma once

namespace at {

inline Tensor of_numbers(const IntArrayRef &sizes, ScalarType type, const std::vector<double> &n) {
    return Tensor(sizes, type).set_([&n](int64_t i) { return n[size_t(i)]; });
}
inline Tensor Tensor::to(ScalarType type) const { return type == type_ ? *this : of_numbers(sizes_, type, numbers()); }

// Sums of whole numbers are Long.
inline Tensor along(const Tensor &t, int64_t at, bool keep, bool mean) {
    IntArrayRef sizes = t.sizes();
    const int64_t length = t.size(at), step = [&] {
        int64_t n = 1;
        for (int64_t k = at < 0 ? at + t.dim() + 1 : at + 1; k < t.dim(); k++) n *= t.size(k);
        return n;
    }();
    const std::vector<double> from = t.numbers();
    std::vector<double> out(length ? from.size() / size_t(length) : 0, 0);
    for (size_t i = 0; i < from.size(); i++) out[i / size_t(step * length) * size_t(step) + i % size_t(step)] += from[i];
    for (double &x : out) x /= mean ? double(length) : 1;
    const auto which = sizes.begin() + (at < 0 ? at + t.dim() : at);
    if (keep) *which = 1;
    else sizes.erase(which);
    return of_numbers(sizes, t.is_floating_point() ? t.scalar_type() : ScalarType::Long, out);
}
inline Tensor Tensor::sum(int64_t at, bool keep) const { return along(*this, at, keep, false); }
inline Tensor Tensor::mean(int64_t at, bool keep) const { return along(*this, at, keep, true); }
inline Tensor Tensor::sum() const { return along(reshape({numel()}), 0, false, false); }
inline Tensor Tensor::mean() const { return along(reshape({numel()}), 0, false, true); }
inline Tensor Tensor::max() const {
    const std::vector<double> n = numbers();
    return of_numbers({}, type_, {*std::max_element(n.begin(), n.end())});
}
inline Tensor Tensor::min() const {
    const std::vector<double> n = numbers();
    return of_numbers({}, type_, {*std::min_element(n.begin(), n.end())});
}

template <class F> Tensor each(const Tensor &a, const Tensor &b, F f) {
    if (a.sizes() != b.sizes() || a.scalar_type() != b.scalar_type()) throw c10::Error("an operation on tensors of another type or size");
    std::vector<double> x = a.numbers();
    const std::vector<double> y = b.numbers();
    for (size_t i = 0; i < x.size(); i++) x[i] = f(x[i], y[i]);
    return of_numbers(a.sizes(), a.scalar_type(), x);
}
template <class F> Tensor each(const Tensor &a, double b, F f) {
    std::vector<double> x = a.numbers();
    for (double &n : x) n = f(n, b);
    return of_numbers(a.sizes(), a.scalar_type(), x);
}
#define SMUX_TORCH_OPERATOR(op, name, functor)                                                                     \
    inline Tensor operator op(const Tensor &a, const Tensor &b) { return each(a, b, functor<double>()); }          \
    inline Tensor operator op(const Tensor &a, double b) { return each(a, b, functor<double>()); }                 \
    inline Tensor name(const Tensor &a, const Tensor &b) { return a op b; }                                        \
    inline Tensor name(const Tensor &a, double b) { return a op b; }
SMUX_TORCH_OPERATOR(+, add, std::plus)
SMUX_TORCH_OPERATOR(-, sub, std::minus)
SMUX_TORCH_OPERATOR(*, mul, std::multiplies)
SMUX_TORCH_OPERATOR(/, div, std::divides)
#undef SMUX_TORCH_OPERATOR
inline Tensor operator*(double a, const Tensor &b) { return b * a; }
inline Tensor operator+(double a, const Tensor &b) { return b + a; }
inline Tensor sum(const Tensor &t) { return t.sum(); }
inline Tensor sum(const Tensor &t, int64_t at, bool keep = false) { return t.sum(at, keep); }

}  // namespace at
