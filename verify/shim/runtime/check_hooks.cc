// The functions that code compiled with -fsanitize=thread calls before each access, by g++ and by clang++. The
// sanitizer's own library is not linked; these take its place.
//
// Host code is compiled with the hooks as well, so the first question is whether a kernel runs.
//
// Not in the runtime for AddressSanitizer: with any sanitizer on, g++ knows these names as its own.
#ifndef SMUX_CPU_ADDRESS
#include <cstring>
#include <mutex>

#include "check_access.h"
#include "check_streams.h"
#include "explore.h"
#include "memory.h"

namespace smux_cpu {
namespace check {
namespace {

// Host code must not touch device memory; a GPU's host would crash. (Only accesses made right here: copies by the C
// library are not seen.)
__attribute__((noinline)) void host_access_to_device(const void *p, size_t bytes, bool write, const void *pc) {
    static own_mutex one_host_thread;
    std::lock_guard<own_mutex> mine(one_host_thread);
    if (!first_time("illegal-address", place_of(pc))) return;
    int kind = 0;
    if (smux_cpu_find_allocation(p, nullptr, nullptr, &kind) && kind != 0) return;
    record r("illegal-address");
    r.here().flag("write", write);
    describe(r, p, bytes, space::global);
    r.text("text", std::string("host code ") + (write ? "writes" : "reads") + " device memory").write();
}

inline void host_access(const void *p, size_t bytes, bool write, const void *pc, bool strong = false) {
    if (__builtin_expect(pending_operations, 0) && checks.host && checks.race) host_access_while_pending(p, bytes, write, strong);
    size_t at = size_t(static_cast<const char *>(p) - global_arena.low);
    if (at < size_t(global_arena.high - global_arena.low) && checks.host) host_access_to_device(p, bytes, write, pc);
}

__attribute__((noinline)) void seen(const void *p, size_t bytes, bool write, const void *pc) {
    if (smux_cpu_in_kernel) access_out_of_line(p, bytes, {write}, pc);
    else host_access(p, bytes, write, pc);
}

// Not a thread's own, nor the runtime's.
bool is_memory_of_threads(const void *p) {
    const char *c = static_cast<const char *>(p);
    if (c >= variables.low && c < variables.high) return is_program_variable(size_t(c - variables.low) / word);
    return (c >= global_arena.low && c < global_arena.high) || (c >= shared_arena.low && c < shared_arena.high);
}

// Spinning on a volatile variable ends only if others run. Volatile accesses to device memory serve as flags between
// blocks and count as strong, as do those to a shared variable that is no array; who waits for one in a loop reads it as if by
// an atomic. Elements of shared arrays are plain: code that takes a warp's threads to run in step has races, and this is how
// they are found.
__attribute__((noinline)) void seen_volatile(const void *p, size_t bytes, bool write, const void *pc) {
    if (!smux_cpu_in_kernel) return host_access(p, bytes, write, pc, true);
    const bool waits = !write && in_waiting_loop();
    if (!write && !on_fiber_stack(p)) maybe_yield();
    size_t at = size_t(static_cast<const char *>(p) - shared_arena.low);
    bool shared = at < size_t(shared_arena.high - shared_arena.low);
    const shared_variable *v = shared ? shared_variable_at(p) : nullptr;
    const bool strong = !shared || (v && v->bytes == bytes);
    if (exploring && strong && is_memory_of_threads(p)) await_step(p, bytes, write ? 'w' : 'r', pc);
    if (waits && strong && checks.race) waits_for(p);
    access_out_of_line(p, bytes, {write, !strong ? strength::weak : waits ? strength::everywhere : strength::is_volatile, ordering::in_system, write}, pc);
}

// order: as std::memory_order has it, of the system's scope.
__attribute__((noinline)) void seen_atomic(const volatile void *p, size_t bytes, char kind, int order, const void *pc) {
    const void *plain = const_cast<const void *>(p);
    if (exploring && smux_cpu_in_kernel && is_memory_of_threads(plain)) await_step(plain, bytes, kind == 'r' ? 'r' : 'w', pc);
    if (smux_cpu_in_kernel) atomic(plain, bytes, kind, order_of(order) | ordering::in_system, pc);
    else host_access(plain, bytes, kind != 'r', pc, true);
}

template <class T> bool swap(volatile T *p, T *expected, T value, int order, int failure, const void *pc) {
    seen_atomic(p, sizeof(T), 'c', failure, pc);
    const bool swaps = __atomic_compare_exchange_n(p, expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    if (swaps) smux_cpu_swapped(const_cast<T *>(p), order_of(order) | ordering::in_system);
    return swaps;
}

// A GPU loads and stores words at multiples of their size only, and ends the kernel otherwise.
__attribute__((noinline, cold)) void misaligned(const void *p, size_t bytes, bool write, const void *pc) {
    if (!smux_cpu_in_kernel || !checks.bounds || on_fiber_stack(p) || !first_time("misaligned", place_of(pc))) return;
    record r("misaligned");
    r.here().flag("write", write);
    const char *c = static_cast<const char *>(p);
    bool shared = c >= shared_arena.low && c < shared_arena.high;
    describe(r, p, bytes, shared ? space::shared : c >= variables.low && c < variables.high ? space::variable : space::global);
    r.write();
}

// The compiler calls these hooks for multiples of 8, at least.
__attribute__((noinline)) void seen_aligned(const void *p, size_t bytes, bool write, const void *pc) {
    if (uintptr_t(p) % (bytes < 8 ? bytes : 8) != 0) misaligned(p, bytes, write, pc);
    seen(p, bytes, write, pc);
}

// What -fsanitize=alignment, signed-integer-overflow and shift-exponent hand over: where, and of which type.
struct source_place { const char *file; uint32_t line, column; };
struct type_descriptor { uint16_t kind, info; char name[1]; };
struct mismatch { source_place where; const type_descriptor *type; unsigned char log_alignment, manner; };
struct overflow { source_place where; const type_descriptor *type; };
struct subscript { source_place where; const type_descriptor *array, *index; };

// An access by a type that asks for more than a word: a GPU's compiler takes one wide load or store for it.
__attribute__((noinline, cold)) void misaligned_object(const mismatch *m, const void *p, const void *pc) {
    if (m->log_alignment > 2) misaligned(p, size_t(1) << m->log_alignment, m->manner == 1, pc);
}

std::string number_of(const type_descriptor *type, uintptr_t value) {
    const unsigned bits = 1u << (type->info >> 1);
    if (bits == 64) return std::to_string((long long)value);
    return bits < 64 ? std::to_string(int32_t(value)) : "?";
}

std::string name_of(const type_descriptor *type) {
    std::string name = type->name;
    return name.size() > 1 && name[0] == '\'' ? name.substr(1, name.size() - 2) : name;
}

// Of an array whose length the compiler knows. Which of several subscripts it is, and whether others make up for it, is for the
// reader of the report to say.
__attribute__((noinline, cold)) void not_of_array(const subscript *s, uintptr_t index, const void *pc) {
    if (!smux_cpu_in_kernel || !checks.bounds || !first_time("subscript", place_of(pc))) return;
    record r("out-of-bounds");
    r.here().text("name", name_of(s->array)).text("text", "subscript " + number_of(s->index, index) + " of " + name_of(s->array));
    r.write();
}

// Whether it is of a subscript is for the reader of the report to say, who has the text.
__attribute__((noinline, cold)) void overflowed(const overflow *o, const char *operation, uintptr_t left, uintptr_t right, const void *pc) {
    if (!smux_cpu_in_kernel || !checks.bounds || !first_time("integer-overflow", place_of(pc))) return;
    record r("integer-overflow");
    r.here().text("text", number_of(o->type, left) + " " + operation + " " + number_of(o->type, right) + " is more than " + name_of(o->type) + " holds");
    r.write();
}

// A GPU shifts everything out, a CPU by the rest.
__attribute__((noinline, cold)) void shifted_out() {
    if (smux_cpu_in_kernel) smux_cpu_not_modelled("shifts by the width of a number or more: a GPU shifts all bits out");
}

}  // namespace
}  // namespace check
}  // namespace smux_cpu

using namespace smux_cpu::check;

#define HERE __builtin_return_address(0)

extern "C" {
void smux_cpu_long_way(const void *p, size_t bytes, size_t write, const void *pc) { seen_aligned(p, bytes, write, pc); }
// These tell what is about to happen; the access or operation itself comes after, and wraps.
void smux_cpu_tell_type_mismatch(const mismatch *m, const void *p, size_t, const void *pc) { misaligned_object(m, p, pc); }
void smux_cpu_tell_subscript(const subscript *s, uintptr_t index, size_t, const void *pc) { not_of_array(s, index, pc); }
void smux_cpu_tell_add_overflow(const overflow *o, uintptr_t a, uintptr_t b, const void *pc) { overflowed(o, "+", a, b, pc); }
void smux_cpu_tell_sub_overflow(const overflow *o, uintptr_t a, uintptr_t b, const void *pc) { overflowed(o, "-", a, b, pc); }
void smux_cpu_tell_mul_overflow(const overflow *o, uintptr_t a, uintptr_t b, const void *pc) { overflowed(o, "*", a, b, pc); }
void smux_cpu_tell_negate_overflow(const overflow *o, uintptr_t a, size_t, const void *pc) { overflowed(o, "-", 0, a, pc); }
void smux_cpu_tell_divrem_overflow(const overflow *, uintptr_t, uintptr_t, const void *) {}  // by -1; by zero is the processor's to refuse
void smux_cpu_tell_shift_out_of_bounds(const void *, uintptr_t, uintptr_t, const void *) { shifted_out(); }
}

#if defined(__x86_64__) && defined(__ELF__) && !defined(__clang__)
// smux_cpu/access_hooks.h promises that its hooks leave floating-point registers alone. So do those here that take the quick way;
// what they call otherwise goes through smux_cpu_keeping, which saves these registers around a call of r11. The hooks have no
// frames of their own there: to who looks at the chain of frames, the program has called smux_cpu_keeping.
__asm__(R"(
    .text
    .type smux_cpu_keeping, @function
smux_cpu_keeping:
    pushq %rbp
    movq %rsp, %rbp
    subq $256, %rsp
    andq $-16, %rsp
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    movaps %xmm\n, 16*\n(%rsp)
    .endr
    call *%r11
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    movaps 16*\n(%rsp), %xmm\n
    .endr
    leave
    ret
    .size smux_cpu_keeping, .-smux_cpu_keeping

    .type smux_cpu_long_way_keeping, @function
smux_cpu_long_way_keeping:
    leaq smux_cpu_long_way(%rip), %r11
    jmp smux_cpu_keeping

    .irp name, type_mismatch, subscript, add_overflow, sub_overflow, mul_overflow, negate_overflow, divrem_overflow, shift_out_of_bounds
    .globl smux_cpu_\name
    .type smux_cpu_\name, @function
smux_cpu_\name:
    movq (%rsp), %rcx
    leaq smux_cpu_tell_\name(%rip), %r11
    jmp smux_cpu_keeping
    .endr
    .set __ubsan_handle_type_mismatch_v1, smux_cpu_type_mismatch
    .globl __ubsan_handle_type_mismatch_v1
    .set __ubsan_handle_out_of_bounds, smux_cpu_subscript
    .globl __ubsan_handle_out_of_bounds
    .set __ubsan_handle_shift_out_of_bounds, smux_cpu_shift_out_of_bounds
    .globl __ubsan_handle_shift_out_of_bounds
    .irp name, add, sub, mul, negate, divrem
    .set __ubsan_handle_\name\()_overflow, smux_cpu_\name\()_overflow
    .globl __ubsan_handle_\name\()_overflow
    .endr
)");
extern "C" void smux_cpu_long_way_keeping(const void *p, size_t bytes, size_t write, const void *pc);
#define QUICK __attribute__((aligned(64), target("general-regs-only"), optimize("omit-frame-pointer", "optimize-sibling-calls")))
#define ACCESS(what, n, write)                                                                                      \
    QUICK void smux_cpu_##what##n(void *p) {                                                                        \
        if (!quick_access<n, write>(p, HERE)) smux_cpu_long_way_keeping(p, n, write, HERE);                         \
    }                                                                                                               \
    __asm__(".globl __tsan_" #what #n "\n.set __tsan_" #what #n ", smux_cpu_" #what #n);
#else
#define ACCESS(what, n, write)                                                                                      \
    void __tsan_##what##n(void *p) {                                                                                \
        if (!quick_access<n, write>(p, HERE)) seen_aligned(p, n, write, HERE);                                      \
    }
extern "C" {
void __ubsan_handle_type_mismatch_v1(const mismatch *m, const void *p) { smux_cpu_tell_type_mismatch(m, p, 0, HERE); }
void __ubsan_handle_out_of_bounds(const subscript *s, uintptr_t index) { smux_cpu_tell_subscript(s, index, 0, HERE); }
void __ubsan_handle_add_overflow(const overflow *o, uintptr_t a, uintptr_t b) { smux_cpu_tell_add_overflow(o, a, b, HERE); }
void __ubsan_handle_sub_overflow(const overflow *o, uintptr_t a, uintptr_t b) { smux_cpu_tell_sub_overflow(o, a, b, HERE); }
void __ubsan_handle_mul_overflow(const overflow *o, uintptr_t a, uintptr_t b) { smux_cpu_tell_mul_overflow(o, a, b, HERE); }
void __ubsan_handle_divrem_overflow(const overflow *, uintptr_t, uintptr_t) {}
void __ubsan_handle_shift_out_of_bounds(const void *, uintptr_t, uintptr_t) { shifted_out(); }
void __ubsan_handle_negate_overflow(const overflow *o, uintptr_t a) { smux_cpu_tell_negate_overflow(o, a, 0, HERE); }
}
#endif

extern "C" {

void __tsan_init() { start(); }
void __tsan_func_entry(void *) {}
void __tsan_func_exit() {}
void __tsan_ignore_thread_begin() {}
void __tsan_ignore_thread_end() {}

// An object's pointer to its virtual functions, which its constructor writes.
void __tsan_vptr_update(void **p, void *) { seen(p, sizeof *p, true, HERE); }
void __tsan_vptr_read(void **p) { seen(p, sizeof *p, false, HERE); }

// Each size of plain access, aligned or not, alone or as the read and write of one statement.
#define ACCESSES(n)                                                                             \
    ACCESS(read, n, false) ACCESS(write, n, true)                                               \
    void __tsan_unaligned_read##n(void *p) { seen(p, n, false, HERE); }                         \
    void __tsan_unaligned_write##n(void *p) { seen(p, n, true, HERE); }                         \
    void __tsan_read_write##n(void *p) { seen(p, n, false, HERE), seen(p, n, true, HERE); }     \
    void __tsan_unaligned_read_write##n(void *p) { seen(p, n, false, HERE), seen(p, n, true, HERE); } \
    void __tsan_volatile_read##n(void *p) { seen_volatile(p, n, false, HERE); }                 \
    void __tsan_volatile_write##n(void *p) { seen_volatile(p, n, true, HERE); }                 \
    void __tsan_unaligned_volatile_read##n(void *p) { seen_volatile(p, n, false, HERE); }       \
    void __tsan_unaligned_volatile_write##n(void *p) { seen_volatile(p, n, true, HERE); }
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

void __tsan_read_range(void *p, unsigned long bytes) {
    if (bytes) seen(p, bytes, false, HERE);
}
void __tsan_write_range(void *p, unsigned long bytes) {
    if (bytes) seen(p, bytes, true, HERE);
}

// clang++ calls the first set, code that includes smux_cpu/checked_memory.h the second.
#define BLOCKS(copy, move, set)                                     \
    void *copy(void *to, const void *from, size_t bytes) {          \
        if (bytes) seen(from, bytes, false, HERE), seen(to, bytes, true, HERE); \
        return memcpy(to, from, bytes);                             \
    }                                                               \
    void *move(void *to, const void *from, size_t bytes) {          \
        if (bytes) seen(from, bytes, false, HERE), seen(to, bytes, true, HERE); \
        return memmove(to, from, bytes);                            \
    }                                                               \
    void *set(void *to, int value, size_t bytes) {                  \
        if (bytes) seen(to, bytes, true, HERE);                     \
        return memset(to, value, bytes);                            \
    }
BLOCKS(__tsan_memcpy, __tsan_memmove, __tsan_memset)
BLOCKS(smux_cpu_memcpy, smux_cpu_memmove, smux_cpu_memset)

// Atomics are performed here, not only seen. Kernels run on one OS thread, but the host may have more, so the
// strongest order does for all.
#define UPDATE(bits, T, name)                                                        \
    T __tsan_atomic##bits##_fetch_##name(volatile T *p, T value, int order) {        \
        seen_atomic(p, sizeof(T), 'w', order, HERE);                                 \
        return __atomic_fetch_##name(p, value, __ATOMIC_SEQ_CST);                    \
    }
#define SWAP(bits, T, name)                                                          \
    int __tsan_atomic##bits##_compare_exchange_##name(volatile T *p, T *expected, T value, int order, int failure) { \
        return swap(p, expected, value, order, failure, HERE);                       \
    }
#define ATOMICS(bits, T)                                                             \
    T __tsan_atomic##bits##_load(const volatile T *p, int order) {                   \
        seen_atomic(p, sizeof(T), 'r', order, HERE);                                 \
        return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                 \
    }                                                                                \
    void __tsan_atomic##bits##_store(volatile T *p, T value, int order) {            \
        seen_atomic(p, sizeof(T), 's', order, HERE);                                 \
        __atomic_store_n(p, value, __ATOMIC_SEQ_CST);                                \
    }                                                                                \
    T __tsan_atomic##bits##_exchange(volatile T *p, T value, int order) {            \
        seen_atomic(p, sizeof(T), 'w', order, HERE);                                 \
        return __atomic_exchange_n(p, value, __ATOMIC_SEQ_CST);                      \
    }                                                                                \
    SWAP(bits, T, strong)                                                            \
    SWAP(bits, T, weak)                                                              \
    T __tsan_atomic##bits##_compare_exchange_val(volatile T *p, T expected, T value, int order, int failure) { \
        swap(p, &expected, value, order, failure, HERE);                             \
        return expected;                                                             \
    }                                                                                \
    UPDATE(bits, T, add)                                                             \
    UPDATE(bits, T, sub)                                                             \
    UPDATE(bits, T, and)                                                             \
    UPDATE(bits, T, or)                                                              \
    UPDATE(bits, T, xor)                                                             \
    UPDATE(bits, T, nand)
ATOMICS(8, unsigned char)
ATOMICS(16, unsigned short)
ATOMICS(32, unsigned)
ATOMICS(64, unsigned long)

void __tsan_atomic_thread_fence(int order) { smux_cpu_fence(smux_cpu::order_of(order) | smux_cpu::ordering::in_system); }
void __tsan_atomic_signal_fence(int) {}

}  // extern "C"
#endif
