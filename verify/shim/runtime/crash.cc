// Signals that mean a mistake. In a kernel they are a finding and end the program; in host code they are put down
// and then take their course.
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <cstdio>

#include "check.h"
#include "faults.h"
#include "report.h"
#include "shared.h"
#include "signals.h"
#include "watchdog.h"

namespace smux_cpu {
namespace {

const char *meaning(int signal, int code) {
    switch (signal) {
    case SIGFPE: return code == FPE_INTDIV ? "integer division by zero" : "arithmetic exception";
    case SIGILL: return "illegal instruction, as after __builtin_trap or unreachable code";
    case SIGTRAP: return "__builtin_trap or a breakpoint";
    case SIGABRT: return "abort or a failed assertion";
    }
    return "";
}

// Where an address lies that may not be accessed, in words.
std::string location(const char *address) {
    char text[160];
    const char *dynamic = static_cast<const char *>(smux_cpu_dynamic_shared());
    void *base;
    size_t bytes;
    int kind;
    if (address >= dynamic && address < shared_arena.high) {
        snprintf(text, sizeof text, "byte %zu of dynamic shared memory, of which the launch has %zu bytes",
                 size_t(address - dynamic), smux_cpu_dynamic_shared_bytes());
    } else if (address < reinterpret_cast<const char *>(4096)) {
        snprintf(text, sizeof text, "0x%zx, a null pointer", size_t(address));
    } else if (smux_cpu_find_allocation(address, &base, &bytes, &kind)) {
        snprintf(text, sizeof text, "%p, %zu bytes into an allocation of %zu", static_cast<const void *>(address),
                 size_t(address - static_cast<char *>(base)), bytes);
    } else {
        snprintf(text, sizeof text, "%p", static_cast<const void *>(address));
    }
    return text;
}

// Is it an access to 16 bytes, by an instruction that wants a multiple of 16? The processor does not tell the address then. `writes`: it stores.
bool wants_alignment(const siginfo_t *info, void *context, bool *writes) {
#if defined(__x86_64__) && defined(SI_KERNEL)
    if (info->si_code != SI_KERNEL) return false;
    const auto *p = reinterpret_cast<const unsigned char *>(static_cast<ucontext_t *>(context)->uc_mcontext.gregs[REG_RIP]);
    if (*p == 0x66) p++;
    if (*p >> 4 == 4) p++;
    *writes = p[1] == 0x29 || p[1] == 0x7f || p[1] == 0x2b || p[1] == 0xe7;
    return *p == 0x0f;
#else
    return (void)info, (void)context, (void)writes, false;
#endif
}

// Does the access that faulted write? The processor tells it in bit 1 of its error code.
bool was_write(void *context) {
#if defined(__x86_64__)
    return static_cast<ucontext_t *>(context)->uc_mcontext.gregs[REG_ERR] & 2;
#else
    return (void)context, false;
#endif
}

// Reports the signal. Returns where what raised it is to be done again, or has been done.
void in_kernel(int signal, const siginfo_t *info, void *context) {
    if (signal == SIGSEGV || signal == SIGBUS) {
        char *address = static_cast<char *>(info->si_addr);
        if (in_stack_guard(address))
            record("stack-overflow").here().text("text", "local memory of one thread is limited to 960 kB").fatal();
        bool writes;
        if (wants_alignment(info, context, &writes)) record("misaligned").here().flag("write", writes).number("bytes", 16).fatal();
        record r("illegal-address");
        r.here().flag("write", was_write(context)).text("text", location(address));
        if (!go_on_after_fault(address, r)) r.fatal();
        return;
    }
    if (signal == SIGFPE && info->si_code == FPE_INTDIV) {
        const division done = finish_division(context);
        // Plain builds join a quotient and a remainder, and lose the line of both.
        if (done == division::by_zero && check::on && check::first_time("division-by-zero", interrupted->pc)) record("division-by-zero").here().write();
        if (done != division::unknown) return;
    }
    record("trap").here().text("text", meaning(signal, info->si_code)).number("signal", signal).fatal();
}

void handle(int signal);

void crashed(int signal, siginfo_t *info, void *context) {
    const waited_for what = signal == SIGSEGV ? fault_while_looking(info->si_addr) : waited_for::nothing;
    if (what == waited_for::other || (what == waited_for::host && !smux_cpu_in_kernel)) return;  // now it can be made
    static volatile sig_atomic_t before;
    // As if never handled: a second signal, also one from in here, ends the program, and so does the first
    // when this returns and what raised it is done again.
    struct sigaction plain = {};
    plain.sa_handler = SIG_DFL;
    sigaction(signal, &plain, nullptr);
    if (before) return;
    before = 1;
    interruption at = interrupted_at(context);
    interrupted = &at;
    if (smux_cpu_in_kernel && active) {
        if (what == waited_for::host) smux_cpu_not_supported("a kernel that waits for what the host does after its launch");
        in_kernel(signal, info, context);
        interrupted = nullptr;
        before = 0;
        handle(signal);
        return;
    }
    uintptr_t pcs[64];
    int count = backtrace(pcs, 64);
    record("crash").number("signal", signal).flag("host", true).pcs(pcs, count).write();
    interrupted = nullptr;
    check::program_end();
    write_end(false);
    raise(signal);  // pending until this returns, for a signal that was sent instead of caused
}

void handle(int signal) {
    struct sigaction action = {};
    action.sa_sigaction = crashed;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(signal, &action, nullptr);
}

__attribute__((constructor)) void handle_crashes() {
    use_signal_stack();
    for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT}) handle(signal);
}

}  // namespace

interruption interrupted_at(void *context) {
    auto *c = static_cast<ucontext_t *>(context);
#if defined(__x86_64__)
    const auto &r = c->uc_mcontext.gregs;
    const uintptr_t pc = uintptr_t(r[REG_RIP]), sp = uintptr_t(r[REG_RSP]);
    // A call to where no code is, such as by a null pointer: it is the caller's doing.
    if (pc < 65536) return {*reinterpret_cast<const uintptr_t *>(sp) - 1, sp + sizeof(uintptr_t), reinterpret_cast<void *>(r[REG_RBP])};
    return {pc, sp, reinterpret_cast<void *>(r[REG_RBP])};
#elif defined(__aarch64__)
    const auto &m = c->uc_mcontext;
    return {uintptr_t(m.pc), uintptr_t(m.sp), reinterpret_cast<void *>(m.regs[29])};
#else
    (void)c;
    return {0, 0, nullptr};
#endif
}

void use_signal_stack() {
    constexpr size_t bytes = 256 * 1024;  // reports are written from here
    static thread_local bool done = false;
    if (done) return;
    done = true;
    void *p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    stack_t s = {};
    s.ss_sp = p;
    s.ss_size = bytes;
    if (p != MAP_FAILED) sigaltstack(&s, nullptr);
}

}  // namespace smux_cpu
