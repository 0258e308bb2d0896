// What the runtime API's headers call in the runtime, besides abi.h (runtime/host_*.cc). Functions of the
// API that need neither the caller's types nor its place are in the runtime themselves.
// Modelled: The toolkit's libraries | Thrust where it is installed, CUB's common primitives, handles | calls that compute (`needs-library`)
#pragma once
#include "smux_cpu/abi.h"
#include "smux_cpu/capture.h"
#include "smux_cpu/types.h"

namespace smux_cpu {

// A block of memory that is copied or set: `depth` slices of `height` rows of `width` bytes. What one
// side of a copy looks like: rows lie `pitch` bytes apart, slices `slice` bytes.
struct layout {
    void *base;
    size_t pitch, slice;
};
struct extent {
    size_t width, height = 1, depth = 1;
};

// What smux_cpu_copy returns when host code can see now what was device data: success, and the caller
// is to log it. (The caller, because the log records from where the API was called.)
constexpr int copied_to_host = -1;

}  // namespace smux_cpu

extern "C" {

// ---- errors. Records the code as the last error, unless it is 0 or cudaErrorNotReady, and returns it.
cudaError_t smux_cpu_error(cudaError_t code);

// ---- streams and events: cudaSuccess where the handle is one.
cudaError_t smux_cpu_check_stream(cudaStream_t stream);
cudaError_t smux_cpu_check_event(cudaEvent_t event);
// The same, and the host has waited for it; or for all streams.
cudaError_t smux_cpu_wait_for_stream(cudaStream_t stream);
cudaError_t smux_cpu_wait_for_event(cudaEvent_t event);
void smux_cpu_wait_for_all();
// The next copy is asynchronous, in this stream.
void smux_cpu_in_stream(cudaStream_t stream);
// An error where somebody waits for a stream that is captured; null: for any.
cudaError_t smux_cpu_check_wait(cudaStream_t stream);

// ---- copies: checked against the allocations as CUDA does, but memory of the program's own variables
// passes as device memory, because __device__ variables are such. Returns an error or copied_to_host.
int smux_cpu_copy(const smux_cpu::layout *to, const smux_cpu::layout *from, const smux_cpu::extent *size, cudaMemcpyKind kind);
// Reports a copy of so many bytes that a GPU refuses, and why; returns the error of the call.
cudaError_t smux_cpu_refused_copy(cudaError_t error, size_t bytes, bool write, const char *why);
// A copy without rows, and its record in the log where it comes to the host, at the place of the call (runtime/copies.cc).
cudaError_t smux_cpu_copy_line(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, smux_cpu::element type, int what);
// Whether copying from one to the other lets host code see what was in device or managed memory.
bool smux_cpu_shows_device_memory(const void *to, const void *from);

// ---- from now on, host code that reads or writes device memory is no finding: a library does it that stands for
// device code.
bool smux_cpu_allow_host_access();

// ---- kernels by address, for launches that get only a pointer.
// call(kernel, arguments) calls the kernel with the arguments that the pointers of `arguments` point to.
typedef void (*smux_cpu_unpacking_call)(const void *kernel, void **arguments);
// keep(configuration, kernel, arguments) returns a launch with copies of the arguments.
typedef smux_cpu::graph_work *(*smux_cpu_keeping_call)(const smux_cpu::config &configuration, const void *kernel, void **arguments);
void smux_cpu_register_kernel(const void *kernel, const char *name, smux_cpu_unpacking_call call, smux_cpu_keeping_call keep);
const char *smux_cpu_kernel_name(const void *kernel);  // "(kernel)" where it is not registered
// Launches; what goes wrong becomes the last error, and is returned.
cudaError_t smux_cpu_launch_checked(const smux_cpu::config *config, const char *name, void (*body)(void *), void *argument);

}  // extern "C"
