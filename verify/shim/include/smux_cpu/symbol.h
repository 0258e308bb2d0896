// Variables of the device by name: __device__, __constant__ and __managed__ variables are the program's
// own global variables, so a symbol is passed by reference.
#pragma once
#include <cstdint>

#include "smux_cpu/copy.h"

namespace smux_cpu {

template <class T> struct symbol_size {
    static constexpr size_t value = sizeof(T);
};
template <class T> struct symbol_size<T[]> {  // declared elsewhere, without its bound
    static constexpr size_t value = SIZE_MAX;
};

template <class T> void *symbol_address(const T &symbol) { return (void *)&reinterpret_cast<const volatile char &>(symbol); }

// Whether `bytes` bytes from `offset` on are part of the variable.
template <class T> constexpr bool inside_symbol(size_t bytes, size_t offset) {
    return offset <= symbol_size<T>::value && bytes <= symbol_size<T>::value - offset;
}

template <class T> SMUX_CPU_INLINE cudaError_t copy_to_symbol(const T &symbol, const void *from, size_t bytes, size_t offset, cudaMemcpyKind kind) {
    if (!inside_symbol<T>(bytes, offset)) return smux_cpu_refused_copy(cudaErrorInvalidValue, bytes, true, "the variable is smaller");
    if (kind != cudaMemcpyHostToDevice && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault) return smux_cpu_error(cudaErrorInvalidMemcpyDirection);
    return copy_line((char *)symbol_address(symbol) + offset, from, bytes, kind, element::bytes);
}

template <class D, class T> SMUX_CPU_INLINE cudaError_t copy_from_symbol(D *to, const T &symbol, size_t bytes, size_t offset, cudaMemcpyKind kind) {
    if (!inside_symbol<T>(bytes, offset)) return smux_cpu_refused_copy(cudaErrorInvalidValue, bytes, false, "the variable is smaller");
    if (kind != cudaMemcpyDeviceToHost && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault) return smux_cpu_error(cudaErrorInvalidMemcpyDirection);
    if (kind == cudaMemcpyDefault) kind = cudaMemcpyDeviceToHost;  // the address of a symbol doesn't tell that it is the device's
    return copy_line((void *)to, (const char *)symbol_address(symbol) + offset, bytes, kind, copied_element<D, T>(), 2);
}

}  // namespace smux_cpu

template <class T> SMUX_CPU_INLINE cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t bytes, size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
    return smux_cpu::copy_to_symbol(symbol, from, bytes, offset, kind);
}
template <class T> SMUX_CPU_INLINE cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *from, size_t bytes, size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = nullptr) {
    if (smux_cpu::captured(stream, cudaGraphNodeTypeMemcpy, [=, &symbol] { smux_cpu::copy_to_symbol(symbol, from, bytes, offset, kind); })) return cudaSuccess;
    return smux_cpu_in_stream(stream), smux_cpu::copy_to_symbol(symbol, from, bytes, offset, kind);
}
template <class D, class T> SMUX_CPU_INLINE cudaError_t cudaMemcpyFromSymbol(D *to, const T &symbol, size_t bytes, size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
    return smux_cpu::copy_from_symbol(to, symbol, bytes, offset, kind);
}
template <class D, class T> SMUX_CPU_INLINE cudaError_t cudaMemcpyFromSymbolAsync(D *to, const T &symbol, size_t bytes, size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = nullptr) {
    if (smux_cpu::captured(stream, cudaGraphNodeTypeMemcpy, [=, &symbol] { smux_cpu::copy_from_symbol(to, symbol, bytes, offset, kind); })) return cudaSuccess;
    return smux_cpu_in_stream(stream), smux_cpu::copy_from_symbol(to, symbol, bytes, offset, kind);
}

template <class P, class T> cudaError_t cudaGetSymbolAddress(P **address, const T &symbol) {
    *address = static_cast<P *>(smux_cpu::symbol_address(symbol));
    return cudaSuccess;
}
template <class T> cudaError_t cudaGetSymbolSize(size_t *bytes, const T &) {
    *bytes = smux_cpu::symbol_size<T>::value;
    return cudaSuccess;
}
