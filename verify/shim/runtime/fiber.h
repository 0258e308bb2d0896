// Stacks of CUDA threads and the switch between them.
#pragma once
#include <cstddef>

#if defined(SMUX_CPU_UCONTEXT) || !defined(__ELF__) || !(defined(__x86_64__) || defined(__aarch64__))
#define SMUX_CPU_SWITCH_UCONTEXT 1
#include <ucontext.h>
#endif

namespace smux_cpu {

// An execution that can be left and taken up again. The host's own stack is one, too.
struct fiber {
    void *sp = nullptr;                 // where it was left
    char *low = nullptr, *high = nullptr;  // its stack; unknown for the host
#ifdef SMUX_CPU_SWITCH_UCONTEXT
    ucontext_t context;
#endif
#ifdef SMUX_CPU_ADDRESS
    void *fake = nullptr;               // ASan's second stack, for locals whose use after return it finds
#endif
};

extern fiber host_fiber;

// A fiber that is not in use; when switched to, it goes on where it was left, or begins with
// fiber_main. Ends the program when there is no address space for one more.
fiber *take_fiber();
void give_fiber(fiber *f);
size_t fibers_left();

// Leaves `from`, which must be the one that runs, and goes on with `to`.
void switch_fiber(fiber *from, fiber *to);

// What every fiber does: run threads (schedule.cc). Never returns.
[[noreturn]] void fiber_main();

// Does p lie in the guard below a stack, that is, did the stack overflow?
bool in_stack_guard(const void *p);

// Keeps what must be kept on the stack, stores the stack pointer in *save, and takes up the stack `to`, which was
// left in the same way. Rounding modes are not kept.
#if defined(SMUX_CPU_SWITCH_UCONTEXT)
#elif defined(__x86_64__)
// Neither a call nor a return: the processor's own stack of return addresses stays in step, since threads
// that wait at one barrier return to the same places. The 128 bytes are those that a leaf function may use below rsp.
inline __attribute__((always_inline)) void switch_stack(void **save, void *to) {
    asm volatile(R"(
        lea -128(%%rsp), %%rsp
        push %%rbp
        lea 1f(%%rip), %%rdx
        push %%rdx
        mov %%rsp, (%0)
        mov %1, %%rsp
        pop %%rdx
        jmp *%%rdx
    1:  pop %%rbp
        lea 128(%%rsp), %%rsp
    )"
                 : "+D"(save), "+S"(to)
                 :
                 : "rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm0", "xmm1",
                   "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13",
                   "xmm14", "xmm15", "memory", "cc");
}
#else
extern "C" void smux_cpu_switch(void **save, void *to);
inline void switch_stack(void **save, void *to) { smux_cpu_switch(save, to); }
#endif

#if !defined(SMUX_CPU_SWITCH_UCONTEXT) && !defined(SMUX_CPU_ADDRESS)
inline __attribute__((always_inline)) void switch_fiber(fiber *from, fiber *to) { switch_stack(&from->sp, to->sp); }
#endif

}  // namespace smux_cpu
