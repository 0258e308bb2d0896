// Fibers: one reservation of address space holds all stacks, a guard below each. A stack is used again by
// the next thread; only as many are made as threads wait at one time.
#include "fiber.h"

#include <sys/mman.h>

#include <cstdint>
#include <vector>

#include "engine.h"
#include "switch.h"

#ifdef SMUX_CPU_ADDRESS
extern "C" void __sanitizer_start_switch_fiber(void **fake, const void *bottom, size_t size);
extern "C" void __sanitizer_finish_switch_fiber(void *fake, const void **bottom, size_t *size);
#endif

namespace smux_cpu {
namespace {

// CUDA's own limit for a thread's local memory is 512 kB; frames on the CPU are larger.
constexpr size_t slot = size_t(1) << 20;
constexpr size_t guard = size_t(1) << 16;
// Each stack is two mappings, of which Linux allows 65,530.
constexpr size_t most_fibers = 30000;

char *stacks;      // most_fibers slots
size_t capacity;   // slots reserved
size_t made;

std::vector<fiber *> &idle() {
    static auto &list = *new std::vector<fiber *>;
    return list;
}

void reserve_stacks() {
    for (capacity = most_fibers; capacity >= 1024; capacity /= 2) {
        void *p = mmap(nullptr, capacity * slot, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (p != MAP_FAILED) {
            stacks = static_cast<char *>(p);
            return;
        }
    }
    smux_cpu_not_supported("no address space for the stacks of CUDA threads");
}

#ifdef SMUX_CPU_ADDRESS
fiber *left;  // the fiber that the running one was switched to from

// ASan has to be told of the stack that runs now; what it says of the one left is news for the host's only.
void arrived(void *fake) {
    const void *bottom;
    size_t size;
    __sanitizer_finish_switch_fiber(fake, &bottom, &size);
    if (left == &host_fiber) {
        host_fiber.low = static_cast<char *>(const_cast<void *>(bottom));
        host_fiber.high = host_fiber.low + size;
    }
}
#endif

void begin() {
#ifdef SMUX_CPU_ADDRESS
    arrived(nullptr);
#endif
    fiber_main();
}

// Lays out a new stack as switch_stack leaves one, so that the first switch to it goes on with begin.
void prepare(fiber *f, size_t number) {
    // Without the offset the same line of every stack would compete for the same few sets of the first cache.
    size_t offset = (number * 13 % 61) * 64;
    char *top = f->high - offset;
#if defined(SMUX_CPU_SWITCH_UCONTEXT)
    getcontext(&f->context);
    f->context.uc_stack.ss_sp = f->low;
    f->context.uc_stack.ss_size = size_t(top - f->low);
    f->context.uc_link = nullptr;
    makecontext(&f->context, begin, 0);
#elif defined(__x86_64__)
    void **sp = reinterpret_cast<void **>(top);
    *--sp = nullptr;                            // return address of begin: none
    *--sp = reinterpret_cast<void *>(begin);
    f->sp = sp;
#elif defined(__aarch64__)
    void **sp = reinterpret_cast<void **>(top) - 20;
    for (int i = 0; i < 20; i++) sp[i] = nullptr;  // a zero x29 ends the chain of frames
    sp[11] = reinterpret_cast<void *>(begin);      // x30
    f->sp = sp;
#endif
}

}  // namespace

fiber host_fiber;

fiber *take_fiber() {
    std::vector<fiber *> &list = idle();
    if (!list.empty()) {
        fiber *f = list.back();
        list.pop_back();
        return f;
    }
    if (!stacks) reserve_stacks();
    char *base = stacks + made * slot;
    if (made == capacity || mprotect(base + guard, slot - guard, PROT_READ | PROT_WRITE) != 0)
        smux_cpu_not_supported("more CUDA threads that wait at one time than there is address space for");
    fiber *f = new fiber;
    f->low = base + guard;
    f->high = base + slot;
    prepare(f, made++);
    return f;
}

void give_fiber(fiber *f) { idle().push_back(f); }

size_t fibers_left() { return idle().size() + (stacks ? capacity : most_fibers) - made; }

bool on_fiber_stack(const void *p) {
    return uintptr_t(p) - uintptr_t(stacks) < made * slot && stacks;
}

bool in_stack_guard(const void *p) {
    return on_fiber_stack(p) && (uintptr_t(p) - uintptr_t(stacks)) % slot < guard;
}

#if defined(SMUX_CPU_SWITCH_UCONTEXT) || defined(SMUX_CPU_ADDRESS)
void switch_fiber(fiber *from, fiber *to) {
#ifdef SMUX_CPU_ADDRESS
    left = from;
    __sanitizer_start_switch_fiber(&from->fake, to->low, size_t(to->high - to->low));
#endif
#ifdef SMUX_CPU_SWITCH_UCONTEXT
    swapcontext(&from->context, &to->context);
#else
    switch_stack(&from->sp, to->sp);
#endif
#ifdef SMUX_CPU_ADDRESS
    arrived(from->fake);
#endif
}
#endif

}  // namespace smux_cpu

#if !defined(SMUX_CPU_SWITCH_UCONTEXT) && defined(__aarch64__)
asm(R"(
    .text
    .globl smux_cpu_switch
    .type smux_cpu_switch, %function
    .p2align 4
smux_cpu_switch:
    sub sp, sp, #160
    stp x19, x20, [sp]
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    mov x9, sp
    str x9, [x0]
    mov sp, x1
    ldp x19, x20, [sp]
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldp x25, x26, [sp, #48]
    ldp x27, x28, [sp, #64]
    ldp x29, x30, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    add sp, sp, #160
    ret
    .size smux_cpu_switch, . - smux_cpu_switch
)");
#endif
