// Accessors of PyTorch: a tensor's elements by subscripts, in kernels. As there, nothing looks at the subscripts; what lies
// outside of the tensor's memory is found as for any pointer.
#pragma once
#include "smux_cpu/names_begin.h"
#include <cstddef>
#include <cstdint>

#include "cuda_runtime.h"

namespace at {

template <class T> struct DefaultPtrTraits { using PtrType = T *; };
template <class T> struct RestrictPtrTraits { using PtrType = T *__restrict__; };

// The elements that the subscripts so far leave open; sizes and strides belong to somebody else.
template <class T, size_t N, template <class> class Traits = DefaultPtrTraits, class Index = int64_t> class TensorAccessor {
public:
    using PtrType = typename Traits<T>::PtrType;
    __host__ __device__ TensorAccessor(PtrType data, const Index *sizes, const Index *strides) : data_(data), sizes_(sizes), strides_(strides) {}
    template <size_t M = N> __host__ __device__ std::enable_if_t<(M > 1), TensorAccessor<T, M - 1, Traits, Index>> operator[](Index i) const {
        return {data_ + strides_[0] * i, sizes_ + 1, strides_ + 1};
    }
    template <size_t M = N> __host__ __device__ std::enable_if_t<M == 1, T &> operator[](Index i) const { return data_[strides_[0] * i]; }
    __host__ __device__ Index size(Index i) const { return sizes_[i]; }
    __host__ __device__ Index stride(Index i) const { return strides_[i]; }
    __host__ __device__ PtrType data() const { return data_; }

private:
    PtrType data_;
    const Index *sizes_, *strides_;
};

// What a kernel gets: it holds sizes and strides itself.
template <class T, size_t N, template <class> class Traits = DefaultPtrTraits, class Index = int64_t> class GenericPackedTensorAccessor {
public:
    using PtrType = typename Traits<T>::PtrType;
    GenericPackedTensorAccessor(PtrType data, const int64_t *sizes, const int64_t *strides) : data_(data) {
        for (size_t i = 0; i < N; i++) sizes_[i] = Index(sizes[i]), strides_[i] = Index(strides[i]);
    }
    template <size_t M = N> __host__ __device__ std::enable_if_t<(M > 1), TensorAccessor<T, M - 1, Traits, Index>> operator[](Index i) const {
        return {data_ + strides_[0] * i, sizes_ + 1, strides_ + 1};
    }
    template <size_t M = N> __host__ __device__ std::enable_if_t<M == 1, T &> operator[](Index i) const { return data_[strides_[0] * i]; }
    __host__ __device__ Index size(Index i) const { return sizes_[i]; }
    __host__ __device__ Index stride(Index i) const { return strides_[i]; }
    __host__ __device__ PtrType data() const { return data_; }

private:
    PtrType data_;
    Index sizes_[N], strides_[N];
};

template <class T, size_t N, template <class> class Traits = DefaultPtrTraits>
using PackedTensorAccessor32 = GenericPackedTensorAccessor<T, N, Traits, int32_t>;
template <class T, size_t N, template <class> class Traits = DefaultPtrTraits>
using PackedTensorAccessor64 = GenericPackedTensorAccessor<T, N, Traits, int64_t>;

}  // namespace at
#include "smux_cpu/names_end.h"
