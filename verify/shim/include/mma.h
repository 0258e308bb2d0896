// Matrix fragments (nvcuda::wmma). How one is spread over a warp is the hardware's own; here it is as in smux_cpu/matrix.h.
// Fragments with less than a byte for each element exist so that programs compile; a kernel that uses one ends there with
// "not supported: wmma".
#pragma once
#include "smux_cpu/names_begin.h"
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "smux_cpu/matrix.h"

namespace nvcuda {
namespace wmma {

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };

namespace precision {
struct u4;
struct s4;
struct b1;
struct tf32;
}  // namespace precision
namespace experimental {
namespace precision = ::nvcuda::wmma::precision;
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
}  // namespace experimental
using namespace experimental;

// What an element is held as, in how many bits, and as which type of smux_cpu/matrix.h.
template <class T, class Storage, class Element, int Bits = sizeof(Storage) * 8> struct smux_element_is {
    typedef Storage storage;
    typedef Element element;
    static constexpr int bits = Bits;
};
template <class T> struct smux_element;
template <> struct smux_element<__half> : smux_element_is<__half, __half, smux_cpu::matrix::f16> {};
template <> struct smux_element<__nv_bfloat16> : smux_element_is<__nv_bfloat16, __nv_bfloat16, smux_cpu::matrix::bf16> {};
template <> struct smux_element<float> : smux_element_is<float, float, smux_cpu::matrix::f32> {};
template <> struct smux_element<double> : smux_element_is<double, double, smux_cpu::matrix::f64> {};
template <> struct smux_element<signed char> : smux_element_is<signed char, signed char, smux_cpu::matrix::s8> {};
template <> struct smux_element<char> : smux_element<signed char> {};
template <> struct smux_element<unsigned char> : smux_element_is<unsigned char, unsigned char, smux_cpu::matrix::u8> {};
template <> struct smux_element<int> : smux_element_is<int, int, smux_cpu::matrix::s32> {};
template <> struct smux_element<precision::tf32> : smux_element_is<precision::tf32, float, smux_cpu::matrix::tf32> {};
template <> struct smux_element<precision::s4> : smux_element_is<precision::s4, int, void, 4> {};
template <> struct smux_element<precision::u4> : smux_element_is<precision::u4, unsigned, void, 4> {};
template <> struct smux_element<precision::b1> : smux_element_is<precision::b1, unsigned, void, 1> {};

// Rows and columns of what a fragment holds, B by its columns, and how many elements lie together.
template <class Use, int M, int N, int K, int Bits> struct smux_shape {
    static constexpr int rows = std::is_same<Use, matrix_b>::value ? N : M, columns = std::is_same<Use, accumulator>::value ? N : K;
    static constexpr int together = std::is_same<Use, accumulator>::value ? 2 : Bits < 32 ? 32 / Bits : 1;
};

template <class Use, int M, int N, int K, class T, class Layout = void> struct fragment {
    typedef T element_type;
    typedef typename smux_element<T>::storage storage_element_type;
    typedef smux_shape<Use, M, N, K, smux_element<T>::bits> smux_spread;
    // Factors of halfs have sixteen, some more than once.
    static constexpr int smux_distinct = smux_spread::rows * smux_spread::columns / 32;
    static constexpr int num_elements = std::is_same<T, __half>::value && !std::is_same<Use, accumulator>::value ? 16 : smux_distinct;
    static constexpr int num_storage_elements = num_elements * smux_element<T>::bits / 8 / int(sizeof(storage_element_type));
    storage_element_type x[num_storage_elements];

    SMUX_CPU_INLINE const void *smux_parts() const {
        for (int i = smux_distinct; i < num_storage_elements; i++)
            if (smux_cpu::matrix::differ(x[i], x[i % smux_distinct])) smux_cpu_not_supported("wmma: fragment whose copies of an element differ");
        return x;
    }
};
template <class F> constexpr bool smux_known = !std::is_void<typename smux_element<typename F::element_type>::element>::value;

template <class Use, int M, int N, int K, class T, class L>
SMUX_CPU_INLINE void fill_fragment(fragment<Use, M, N, K, T, L> &f, const typename fragment<Use, M, N, K, T, L>::storage_element_type &value) {
    for (auto &x : f.x) x = value;
}

// Calls copy(i, element) for each distinct element of this lane. What lies together begins at a multiple of 16 bytes.
template <class F, class T, class Copy> SMUX_CPU_INLINE void smux_each(int kind, T *p, unsigned stride, bool by_columns, Copy &&copy) {
    if constexpr (!smux_known<F>) smux_cpu_not_supported("wmma with elements of less than a byte");
    else {
        (void)smux_cpu::exchange(~0u, kind, 0);
        const int lane = int(smux_cpu::lane());
        if ((by_columns ? F::smux_spread::rows : F::smux_spread::columns) * sizeof(T) >= 16)
            for (T *row : {p, p + stride}) smux_cpu::matrix::is_aligned(*(const smux_cpu::matrix::row *)row);
        for (int i = 0; i < F::smux_distinct; i++) {
            const smux_cpu::matrix::place at = smux_cpu::matrix::place_of(F::smux_spread::rows, F::smux_spread::together, lane, i);
            copy(i, p[by_columns ? size_t(at.column) * stride + at.row : size_t(at.row) * stride + at.column]);
        }
    }
}
template <class F, class T> SMUX_CPU_INLINE void smux_load(F &f, const T *p, unsigned stride, bool by_columns) {
    smux_each<F>(smux_cpu::warp_matrix_load, p, stride, by_columns, [&](int i, const T &element) SMUX_CPU_INLINED { f.x[i] = element; });
    for (int i = F::smux_distinct; i < F::num_storage_elements; i++) f.x[i] = f.x[i % F::smux_distinct];
}
template <class Use, int M, int N, int K, class T, class L, class P>
SMUX_CPU_INLINE void load_matrix_sync(fragment<Use, M, N, K, T, L> &f, const P *p, unsigned stride) {
    smux_load(f, p, stride, std::is_same<L, col_major>::value != std::is_same<Use, matrix_b>::value);
}
template <int M, int N, int K, class T>
SMUX_CPU_INLINE void load_matrix_sync(fragment<accumulator, M, N, K, T> &f, const T *p, unsigned stride, layout_t layout) {
    smux_load(f, p, stride, layout == mem_col_major);
}
template <int M, int N, int K, class T>
SMUX_CPU_INLINE void store_matrix_sync(T *p, const fragment<accumulator, M, N, K, T> &f, unsigned stride, layout_t layout) {
    smux_each<fragment<accumulator, M, N, K, T>>(smux_cpu::warp_matrix_store, p, stride, layout == mem_col_major,
                                                 [&](int i, T &element) SMUX_CPU_INLINED { element = f.x[i]; });
}

template <int M, int N, int K, class T, class LA, class LB, class C, class D>
SMUX_CPU_INLINE void mma_sync(fragment<accumulator, M, N, K, D> &d, const fragment<matrix_a, M, N, K, T, LA> &a,
                              const fragment<matrix_b, M, N, K, T, LB> &b, const fragment<accumulator, M, N, K, C> &c, bool saturates = false) {
    typedef typename smux_element<T>::element element;
    if constexpr (std::is_void<element>::value) smux_cpu_not_supported("wmma with elements of less than a byte");
    else {
        if (saturates && !element::is_integer) smux_cpu_not_supported("wmma::mma_sync with satf");
        smux_cpu::matrix::multiply<M, N, K, element, element, typename smux_element<C>::element, typename smux_element<D>::element>(
            d.x, a.smux_parts(), b.smux_parts(), c.x, saturates);
    }
}
template <class... A> SMUX_CPU_INLINE void bmma_sync(A &&...) { smux_cpu_not_supported("wmma::bmma_sync"); }

SMUX_CPU_INLINE float __float_to_tf32(float x) { return smux_cpu::bits_as<float>(smux_cpu::matrix::to_tf32(smux_cpu::bits_as<uint32_t>(x))); }

}  // namespace wmma
}  // namespace nvcuda
#include "smux_cpu/names_end.h"
