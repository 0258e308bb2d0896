// How threads take turns: the switch between stacks, and from a thread to the next one. Its callers are compiled
// once more for the address sanitizer, which must be told of each switch; what does not include this is not.
#pragma once
#include "fiber.h"
#include "schedule.h"

namespace smux_cpu {

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

// Leaves `from`, which must be the one that runs, and goes on with `to`.
#if !defined(SMUX_CPU_SWITCH_UCONTEXT) && !defined(SMUX_CPU_ADDRESS)
inline __attribute__((always_inline)) void switch_fiber(fiber *from, fiber *to) { switch_stack(&from->sp, to->sp); }
#else
void switch_fiber(fiber *from, fiber *to);
#endif

// Leaves the running thread, whose state says what it waits for, for `next`.
inline void hand_over(block &b, unsigned next) {
    unsigned me = now.rank;
    fiber *mine = b.threads[me].stack, *to = &host_fiber;
    if (next != nobody) {
        thread &t = b.threads[next];
        if (!t.stack) t.stack = take_fiber();
        to = t.stack;
        make_running(b, next);
        if (next == me) return;
    }
    total.switches++;
    switch_fiber(mine, to);
}

inline void wait_here(block &b) { hand_over(b, next_thread(b)); }

}  // namespace smux_cpu
