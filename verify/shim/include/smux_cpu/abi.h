// What translated programs and the headers of this shim call in the runtime.
//
// A translated program is one process with one OS thread. Host code runs as it is; a launch hands
// its kernel to smux_cpu_launch, which runs every CUDA thread as a fiber. Whatever must be told to
// the outside (findings, device-to-host copies) goes to files that the environment names; see
// runtime/report.h. All names are in namespace smux_cpu or begin with smux_cpu_, because the code
// that smux emits owns namespace smux.
#pragma once
#include <cstddef>
#include <cstdint>

#include "smux_cpu/vector_types.h"

// The built-in variables of the running thread. The engine sets them at every switch, which no thread can see: to it they
// are constants, and what is constant is not checked at each access.
#ifdef SMUX_CPU_RUNTIME
extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;
#else
extern const uint3 threadIdx, blockIdx;
// To the compiler no object of a type with a constructor is constant.
extern const uint3 smux_cpu_block_dim __asm__("blockDim"), smux_cpu_grid_dim __asm__("gridDim");
static const dim3 &blockDim = reinterpret_cast<const dim3 &>(smux_cpu_block_dim), &gridDim = reinterpret_cast<const dim3 &>(smux_cpu_grid_dim);
#endif
constexpr int warpSize = 32;

namespace smux_cpu {

// What an atomic operation or a fence orders, and whose scope is the thread block (or, without clusters, the cluster) or the
// thread alone. The system's is the device's, and the host hears of it.
namespace ordering {
enum { relaxed = 0, acquire = 1, release = 2, acq_rel = 3, in_block = 4, in_thread = 8, in_system = 16 };
}

// What alignas(name) asks for, where the name may be that of a type or of a number.
template <class T> constexpr size_t alignment() { return alignof(T); }
template <size_t Bytes> constexpr size_t alignment() { return Bytes; }

// From the numbers of std::memory_order, which are those of __NV_ATOMIC_*.
constexpr int order_of(int order) {
    return order <= 0 ? ordering::relaxed : order <= 2 ? ordering::acquire : order == 3 ? ordering::release : ordering::acq_rel;
}

// One shared variable (or, where `bytes` is unknown until launch, the dynamic array).
struct shared_variable {
    char *base;          // in the shared arena; fixed for the whole run
    size_t bytes;
    const char *name;    // as declared
    const char *file;    // of the declaration in the original
    int line;
    unsigned long epoch; // value of smux_cpu_epoch when it was last entered
};

// The configuration of one launch.
struct config {
    dim3 grid, block;
    size_t shared = 0;
    void *stream = nullptr;
    bool cooperative = false;
    SMUX_CPU_OWN config(dim3 g, dim3 b, size_t s = 0, void *st = nullptr) : grid(g), block(b), shared(s), stream(st) {}
    config in_graph() const {
        config same = *this;
        same.stream = nullptr;
        return same;
    }
};

// How a warp-level operation looks from one lane after all lanes of its mask have met.
struct warp_exchange {
    unsigned members;            // lanes that took part
    const unsigned char *values; // values[most_exchanged * lane]: what each lane brought
};

// What element type a logged copy has; the comparison needs it for tolerances.
enum class element : uint32_t { bytes, f32, f64, f16, bf16, i8, u8, i16, u16, i32, u32, i64, u64 };

}  // namespace smux_cpu

extern "C" {

// ---- launches (runtime/launch.cc). Runs the whole grid, then returns. body(argument) is one
// thread's call of the kernel. An invalid configuration sets the CUDA error instead.
void smux_cpu_launch(const smux_cpu::config *config, const char *kernel, void (*body)(void *), void *argument);
void smux_cpu_kernel_compiled(const char *name);           // before main: see compiled_kernel
void smux_cpu_called(const void *kernel);                  // before it: a kernel that it is called by a pointer to
void smux_cpu_pointer_argument(const void *p);             // before it: each argument that is a pointer
void smux_cpu_arguments(void **arguments);                 // before it: a smux_cpu::launch_argument of each; after it, null
// What a call of the runtime API that finds something wrong does: cudaGetLastError will return code (runtime/errors.cc).
void smux_cpu_set_error(int code);
// True while a CUDA thread runs, false in host code: of this thread of the process, since a kernel runs in the one
// that launched it while others go on.
extern __thread bool smux_cpu_in_kernel;
// Linear index of the running thread in its block, and its lane: rank & 31.
unsigned smux_cpu_rank();

// ---- shared memory (runtime/shared.cc)
// Changes with every block that starts: a variable whose epoch differs has not been entered yet.
extern unsigned long smux_cpu_epoch;
smux_cpu::shared_variable *smux_cpu_shared_register(const char *name, size_t bytes, size_t align, const char *file, int line);
void smux_cpu_shared_enter(smux_cpu::shared_variable *v);  // poison it for this block
void *smux_cpu_dynamic_shared();                           // the same address in the whole run
size_t smux_cpu_dynamic_shared_bytes();                    // of the running launch

// ---- constant memory (runtime/check_constant.cc): these bytes are what kernels may only read.
void smux_cpu_constant_memory(const volatile void *p, size_t bytes);

// ---- barriers (runtime/barrier.cc). id 0 ... 15; threads 0 means all that live, else as PTX has it.
void smux_cpu_barrier_sync(unsigned id, unsigned threads);
void smux_cpu_barrier_arrive(unsigned id, unsigned threads);
// bar.red: number of participants whose predicate is true. Out-parameter: how many took part.
int smux_cpu_barrier_count(unsigned id, unsigned threads, int predicate, int *participants);
void smux_cpu_bad_barrier(const char *text);               // a barrier object is used as it must not be
void smux_cpu_grid_sync();                                 // all threads of a cooperative launch
void smux_cpu_yield();                                     // let others run (__nanosleep, waiting on barrier objects)

// ---- warp operations (runtime/warp.cc). Blocks until all live lanes of mask have come; `kind` tells
// operations apart (lanes that meet in different ones are a finding). value may be null.
smux_cpu::warp_exchange smux_cpu_warp(unsigned mask, int kind, const void *value, size_t bytes);
// What is made of a lane that did not come is undefined: here the value as it is, or SMUX_LANE_FILL.
void smux_cpu_absent_lane(unsigned mask, unsigned lane, void *value, size_t bytes);
unsigned smux_cpu_live_lanes();                            // lanes of this warp that have not exited
// __activemask: lanes that are at the same call once no other lane of the warp can run. Waits for no lane that waits.
unsigned smux_cpu_active_lanes();

// ---- atomics (include/smux_cpu/atomics.h does the arithmetic; one OS thread needs no lock).
// Tells the checker and lets other threads run now and then, so that spinning code ends. kind: 'r' a read, 'w' a write or an
// update, 's' a store, 'x' an exchange, whatever stood there, 'c' a compare-and-swap, which smux_cpu_swapped follows where
// it succeeds; an operator, of integers, of updates that commute: + & | ^ < (minimum) > (maximum), so far as nobody looks at
// the result. order: of smux_cpu::ordering.
void smux_cpu_atomic(const void *address, size_t bytes, char kind, int order);
void smux_cpu_swapped(const void *address, int order);
void smux_cpu_result_unused();                             // nobody looks at that of the next one
// Before smux_cpu_atomic where it is a compare-and-swap: what this thread read here before was a guess.
void smux_cpu_guessed(const void *address, size_t bytes);

// Adds to a sum of floating-point numbers (runtime/sums.cc), and hands over what memory will hold, in which smux_cpu_stored says
// what became of it. once: it is not rounded again.
double smux_cpu_add(const void *address, double old, double addend, bool once, struct smux_cpu_sum **of);
void smux_cpu_stored(struct smux_cpu_sum *of, double value);

// ---- asynchronous copies to shared memory (runtime/async.h). The last `zeros` of the bytes become 0. barrier null: the copy
// is of the thread's next group, else it is made when that cuda::barrier's phase ends.
void smux_cpu_async_copy(void *to, const void *from, size_t bytes, size_t zeros, const void *barrier);
void smux_cpu_async_commit();                              // ends the thread's group
void smux_cpu_async_wait(size_t prior);                    // for all groups but the last so many
void smux_cpu_async_wait_all();                            // for those that are not committed, too
void smux_cpu_async_tie(const void *barrier);              // those that are not waited for belong to a barrier
void smux_cpu_async_arrived(const void *barrier);          // its phase ends
// cp.async.bulk to shared memory, which a barrier waits for, or with none to device memory, in groups of their own.
void smux_cpu_bulk_copy(void *to, const void *from, size_t bytes, const void *barrier);
long long smux_cpu_bulk_under_way(const void *barrier);    // bytes
void smux_cpu_bulk_commit();
void smux_cpu_bulk_wait(size_t prior);

// ---- fences (runtime/check_sync.cc). order as smux_cpu_atomic has it: relaxed orders nothing.
void smux_cpu_fence(int order);
void smux_cpu_spin();                                      // before the condition of a loop that may wait for another thread
void smux_cpu_spun();                                      // after it

// ---- branches (runtime/report.cc): how often each is reached, by its number, in programs that are checked. Where it can be, it is
// counted with no call and no register, so that the code around it stays as it is.
extern "C" unsigned smux_cpu_reached[1 << 18];
void smux_cpu_reach(unsigned id);
#if defined(__SANITIZE_THREAD__) && defined(__x86_64__) && defined(__ELF__)
#define SMUX_CPU_REACHED(id) __asm__ __volatile__("incl smux_cpu_reached+4*" #id "(%%rip)" : : : "cc")
#elif defined(__SANITIZE_THREAD__)
#define SMUX_CPU_REACHED(id) ::smux_cpu_reach(id)
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SMUX_CPU_REACHED(id) ::smux_cpu_reach(id)
#endif
#endif
#ifndef SMUX_CPU_REACHED
#define SMUX_CPU_REACHED(id) static_cast<void>(0)
#endif

// ---- device memory (runtime/memory.cc). Zero-size allocations return a valid unique address.
// kind: 0 device, 1 managed, 2 pinned host. Null when the device's memory is used up.
void *smux_cpu_allocate(size_t bytes, int kind);
bool smux_cpu_free(void *p);                               // false: no such allocation
// The allocation that holds p: its base, size and kind; false where there is none.
bool smux_cpu_find_allocation(const void *p, void **base, size_t *bytes, int *kind);
size_t smux_cpu_allocated();                               // bytes in all live allocations
// malloc and free in kernels. What one thread frees no other gets in the same run: nothing orders the two.
void *smux_cpu_kernel_malloc(size_t bytes);
void smux_cpu_kernel_free(void *p);                        // a finding where it is not what malloc gave, or was freed before
inline void *smux_cpu_heap_malloc(size_t bytes) { return smux_cpu_in_kernel ? smux_cpu_kernel_malloc(bytes) : __builtin_malloc(bytes); }
inline void smux_cpu_heap_free(void *p) { smux_cpu_in_kernel ? smux_cpu_kernel_free(p) : __builtin_free(p); }

// ---- copies (runtime/copies.cc): what host code may see of device data, in order.
// what: 1 cudaMemcpy to the host, 2 cudaMemcpyFromSymbol, 3 managed or mapped memory at a sync point
void smux_cpu_log_copy(int what, const void *host, size_t bytes, smux_cpu::element type);
void smux_cpu_log_managed();                               // at every synchronisation of the host

// ---- virtual time (runtime/clock.cc): the same in every run. Nanoseconds.
unsigned long long smux_cpu_clock();

// ---- multiplexed shared memory (runtime/check_region.cc); called by hooks that the translation puts into smux's
// device runtime (smux::vtb, acquire, release) and into turn loops.
void smux_cpu_vtb(unsigned id, unsigned count);            // this thread belongs to v-TB id of count
void smux_cpu_region_begin();
void smux_cpu_region_end();

// ---- what can't be run: reports name and place, and ends the program.
[[noreturn]] void smux_cpu_not_supported(const char *name);
[[noreturn]] void smux_cpu_needs_library(const char *why);
// What the program uses and its run says nothing of, or only part: the report has each once.
void smux_cpu_not_modelled(const char *what);
// This thread's kernel has launch bounds that allow so many threads per block.
void smux_cpu_launch_bounds(unsigned long long threads);
// __trap(), failed device assert: a finding that ends the program.
[[noreturn]] void smux_cpu_trap(const char *what);
// Does memory hold what fresh memory of the device does? Of less than a word, the word.
bool smux_cpu_is_fresh(const void *p, size_t bytes);
// Of host code that smux made: an element of a result was never written.
void smux_cpu_unwritten(const char *name, size_t element);
[[noreturn]] void smux_cpu_exit_thread();  // PTX's exit
// This thread has come to the end of the kernel's text.
void smux_cpu_at_end();

}  // extern "C"

namespace smux_cpu {

// Around the condition of such a loop.
template <class T> SMUX_CPU_INLINE T &&spun(T &&condition) {
    smux_cpu_spun();
    return static_cast<T &&>(condition);
}

// Tells of a kernel that was compiled, where it need not be.
struct compiled_kernel {
    explicit compiled_kernel(const char *name) { smux_cpu_kernel_compiled(name); }
};

// Tells of a variable in constant memory: what is put behind the declaration of each.
struct constant_memory {
    template <class T> SMUX_CPU_OWN explicit constant_memory(const T &variable) {
        smux_cpu_constant_memory(&reinterpret_cast<const volatile char &>(variable), sizeof variable);
    }
};

// The shared variable of declaration Id with type T: what `__shared__ T name;` is translated to.
template <class T, int Id> SMUX_CPU_OWN inline T &shared(const char *name, const char *file, int line) {
    static shared_variable *const v = smux_cpu_shared_register(name, sizeof(T), alignof(T), file, line);
    if (v->epoch != smux_cpu_epoch) smux_cpu_shared_enter(v);
    return *reinterpret_cast<T *>(v->base);
}

// `extern __shared__ T name[];`: a reference to an array of unknown bound.
template <class T> inline T (&dynamic_shared())[] { return *reinterpret_cast<T(*)[]>(smux_cpu_dynamic_shared()); }

}  // namespace smux_cpu
