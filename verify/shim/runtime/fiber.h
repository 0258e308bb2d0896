// Stacks of CUDA threads. switch.h has the switch between them.
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
    void *ended = nullptr;              // the jmp_buf to which a thread of it jumps that ends in the middle
    void *fake = nullptr;               // ASan's second stack, for locals whose use after return it finds
};

extern fiber host_fiber;

// A fiber that is not in use; when switched to, it goes on where it was left, or begins with
// fiber_main. Ends the program when there is no address space for one more.
fiber *take_fiber();
void give_fiber(fiber *f);
size_t fibers_left();

// What every fiber does: run threads (schedule.cc). Never returns.
[[noreturn]] void fiber_main();

// Does p lie in the guard below a stack, that is, did the stack overflow?
bool in_stack_guard(const void *p);

}  // namespace smux_cpu
