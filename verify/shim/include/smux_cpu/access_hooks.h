// What -fsanitize=thread calls before each plain access, and -fsanitize=undefined where something overflows, once more in each
// file of a program: so g++ knows that they change few registers (-fipa-ra), and keeps what a kernel computes with in the
// others. Else each loop around a load would store and reload all that it holds, which takes longer than the check itself.
//
// They have no frame, and jump to what stands in the runtime's check_hooks.cc, which changes no others, and returns to who
// called them. (What the attribute naked makes is taken to change all.) To g++ the functions that it calls are those
// with __builtin_ in front. A file's own are local to it, so that no file calls those of the runtime by mistake; they are compiled
// first (no_reorder), since what a function changes is known only then.
#pragma once

#if defined(SMUX_CPU_HOOKS) && defined(__SANITIZE_THREAD__) && !defined(__clang__) && defined(__x86_64__) && defined(__ELF__) && !defined(__AVX__)
#define SMUX_CPU_HOOK(name, target, ...)                                                                            \
    extern "C" __attribute__((noinline, no_reorder, used, optimize("omit-frame-pointer"), no_sanitize("thread", "undefined"))) \
    void __builtin___##name(__VA_ARGS__) {                                                                          \
        __asm__ __volatile__("jmp smux_cpu_" #target                                                                \
                             : : : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "cc", "memory");    \
    }                                                                                                               \
    __asm__(".local __" #name);
SMUX_CPU_HOOK(tsan_read1, read1, void *)
SMUX_CPU_HOOK(tsan_read2, read2, void *)
SMUX_CPU_HOOK(tsan_read4, read4, void *)
SMUX_CPU_HOOK(tsan_read8, read8, void *)
SMUX_CPU_HOOK(tsan_read16, read16, void *)
SMUX_CPU_HOOK(tsan_write1, write1, void *)
SMUX_CPU_HOOK(tsan_write2, write2, void *)
SMUX_CPU_HOOK(tsan_write4, write4, void *)
SMUX_CPU_HOOK(tsan_write8, write8, void *)
SMUX_CPU_HOOK(tsan_write16, write16, void *)
SMUX_CPU_HOOK(ubsan_handle_type_mismatch_v1, type_mismatch, void *, void *)
SMUX_CPU_HOOK(ubsan_handle_out_of_bounds, subscript, void *, void *)
SMUX_CPU_HOOK(ubsan_handle_add_overflow, add_overflow, void *, void *, void *)
SMUX_CPU_HOOK(ubsan_handle_sub_overflow, sub_overflow, void *, void *, void *)
SMUX_CPU_HOOK(ubsan_handle_mul_overflow, mul_overflow, void *, void *, void *)
SMUX_CPU_HOOK(ubsan_handle_negate_overflow, negate_overflow, void *, void *)
SMUX_CPU_HOOK(ubsan_handle_divrem_overflow, divrem_overflow, void *, void *, void *)
SMUX_CPU_HOOK(ubsan_handle_shift_out_of_bounds, shift_out_of_bounds, void *, void *, void *)
#undef SMUX_CPU_HOOK
#endif
