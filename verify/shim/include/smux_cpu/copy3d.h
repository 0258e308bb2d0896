// Copies of boxes, between linear memory and arrays.
#pragma once
#include "smux_cpu/copy.h"

namespace smux_cpu {

// The texels of an array: rows without gaps, of `element_bytes` bytes per texel. (Defined in array.h.)
struct array_memory {
    layout where;
    size_t element_bytes;
    element type;
};
inline array_memory memory_of(cudaArray_const_t array);

// One side of a copy. Its position along x counts bytes in linear memory, texels in an array.
struct box_side {
    layout where;
    size_t unit;  // bytes per step along x: 1 or the texel's
    element type;
};
inline box_side side_of(cudaArray_const_t array, const cudaPitchedPtr &linear, const cudaPos &position) {
    box_side side;
    if (array) {
        const array_memory memory = memory_of(array);
        side = {memory.where, memory.element_bytes, memory.type};
    } else {
        side = {{linear.ptr, linear.pitch, linear.pitch * linear.ysize}, 1, element::bytes};
    }
    side.where.base = static_cast<char *>(side.where.base) + position.z * side.where.slice + position.y * side.where.pitch + position.x * side.unit;
    return side;
}

}  // namespace smux_cpu

// The extent's width counts texels where an array takes part, bytes otherwise.
SMUX_CPU_INLINE cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *p) {
    const bool from_array = p->srcArray != nullptr, to_array = p->dstArray != nullptr;
    if ((!from_array && !p->srcPtr.ptr) || (!to_array && !p->dstPtr.ptr)) return smux_cpu_error(cudaErrorInvalidValue);
    const smux_cpu::box_side from = smux_cpu::side_of(p->srcArray, p->srcPtr, p->srcPos), to = smux_cpu::side_of(p->dstArray, p->dstPtr, p->dstPos);
    if (from_array && to_array && from.unit != to.unit) return smux_cpu_error(cudaErrorInvalidValue);
    const size_t unit = from_array ? from.unit : to.unit;
    return smux_cpu::copy(to.where, from.where, {p->extent.width * unit, p->extent.height, p->extent.depth}, p->kind, from_array ? from.type : to.type);
}
SMUX_CPU_INLINE cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *p, cudaStream_t stream = nullptr) { return smux_cpu_in_stream(stream), cudaMemcpy3D(p); }

SMUX_CPU_INLINE cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms *p) {
    if (p->srcDevice != 0 || p->dstDevice != 0) return smux_cpu_error(cudaErrorInvalidDevice);
    const cudaMemcpy3DParms same{p->srcArray, p->srcPos, p->srcPtr, p->dstArray, p->dstPos, p->dstPtr, p->extent, cudaMemcpyDeviceToDevice};
    return cudaMemcpy3D(&same);
}
SMUX_CPU_INLINE cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms *p, cudaStream_t stream = nullptr) { return smux_cpu_in_stream(stream), cudaMemcpy3DPeer(p); }
