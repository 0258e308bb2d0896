// Matrix fragments (nvcuda::wmma) can't be run: how a fragment is spread over a warp is the hardware's. The
// names exist so that programs compile; a kernel that uses a fragment ends there with "not supported: wmma".
#pragma once
#include "smux_cpu/names_begin.h"
#include "cuda_bf16.h"
#include "cuda_fp16.h"

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
}  // namespace experimental

// What an element is held as.
template <class T> struct storage {
    typedef T type;
};
template <> struct storage<precision::tf32> {
    typedef float type;
};
template <> struct storage<precision::u4> {
    typedef unsigned type;
};
template <> struct storage<precision::s4> {
    typedef int type;
};
template <> struct storage<precision::b1> {
    typedef unsigned type;
};

template <class Use, int M, int N, int K, class T, class Layout = void> struct fragment {
    typedef T element_type;
    typedef typename storage<T>::type storage_element_type;
    static constexpr int num_elements = 1, num_storage_elements = 1;
    storage_element_type x[1];
};

#define SMUX_CPU_NO_FRAGMENTS(name) \
    template <class... A> SMUX_CPU_INLINE void name(A &&...) { smux_cpu_not_supported("wmma"); }
SMUX_CPU_NO_FRAGMENTS(fill_fragment)
SMUX_CPU_NO_FRAGMENTS(load_matrix_sync)
SMUX_CPU_NO_FRAGMENTS(store_matrix_sync)
SMUX_CPU_NO_FRAGMENTS(mma_sync)
SMUX_CPU_NO_FRAGMENTS(bmma_sync)
#undef SMUX_CPU_NO_FRAGMENTS
SMUX_CPU_INLINE float __float_to_tf32(float) { smux_cpu_not_supported("wmma"); }

}  // namespace wmma
}  // namespace nvcuda
#include "smux_cpu/names_end.h"
