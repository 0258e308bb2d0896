// Ends a program whose kernel spins for ever: no barrier or warp operation passed and no thread ended within
// SMUX_WATCHDOG seconds. These are seconds of processor time, so that a busy machine raises no alarm. If what it reads
// meanwhile is memory of the host, which gets to do nothing before the kernel has ended, nothing can be said of the program.
#include "watchdog.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>

#include <cerrno>
#include <cstdlib>

#include "grid.h"
#include "memory.h"
#include "report.h"
#include "schedule.h"
#include "signals.h"

namespace smux_cpu {
namespace {

constexpr int looks = 10;  // per period
constexpr size_t page_of_system = 4096;
unsigned long last_progress;
int fruitless;
pthread_t launcher;  // the host thread whose kernel runs

volatile bool looking;  // memory of the host can't be accessed

// False where another thread is at the table.
bool allow_host_memory(bool access) {
    if (!allocations_lock().try_lock()) return false;
    for (const auto &entry : allocations()) {
        const allocation &a = entry.second;
        char *const first = reinterpret_cast<char *>(uintptr_t(a.base) / page_of_system * page_of_system);
        if (a.kind != 0) mprotect(first, smux_cpu::up(size_t(a.base + a.bytes - first), page_of_system), access ? PROT_READ | PROT_WRITE : PROT_NONE);
    }
    allocations_lock().unlock();
    return true;
}

void look(int number, siginfo_t *, void *context) {
    if (launched && !pthread_equal(launcher, pthread_self())) {  // the timer is of the process: any thread may hear it
        pthread_kill(launcher, number);
        return;
    }
    if (!smux_cpu_in_kernel || last_progress != progress) {
        last_progress = progress;
        fruitless = 0;
        if (looking && allow_host_memory(true)) looking = false;
        return;
    }
    if (++fruitless < looks) return;
    interruption at = interrupted_at(context);
    at.by_timer = true;
    // A report allocates, which a library that was interrupted while it did so can't stand; look again soon.
    if (!in_executable(at.pc) && fruitless < 3 * looks) return;
    if (!looking && fruitless < 2 * looks && allow_host_memory(false)) {
        looking = true;
        fruitless = looks - 2;
        return;
    }
    if (looking) allow_host_memory(true);
    interrupted = &at;
    record("spin").here().array("waiters", waiters(*active)).fatal();
}

double period() {
    const char *s = getenv("SMUX_WATCHDOG");
    return s && *s ? strtod(s, nullptr) : 10;
}

}  // namespace

waited_for fault_while_looking(const void *address) {
    if (!looking) return waited_for::nothing;
    while (!allow_host_memory(true)) {}
    looking = false;
    if (last_progress != progress) return waited_for::other;
    fruitless = 2 * looks;  // not again
    int kind = 0;
    return smux_cpu_find_allocation(address, nullptr, nullptr, &kind) && kind != 0 ? waited_for::host : waited_for::other;
}

void watch() {
    launcher = pthread_self();
    static bool watching = false;
    if (watching) return;
    watching = true;
    double seconds = period();
    if (!(seconds > 0)) return;
    use_signal_stack();
    struct sigaction action = {};
    action.sa_sigaction = look;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    sigaction(SIGPROF, &action, nullptr);
    double every = seconds / looks;
    itimerval timer = {};
    timer.it_interval.tv_sec = time_t(every);
    timer.it_interval.tv_usec = suseconds_t((every - double(time_t(every))) * 1e6);
    if (timer.it_interval.tv_sec == 0 && timer.it_interval.tv_usec < 10000) timer.it_interval.tv_usec = 10000;
    timer.it_value = timer.it_interval;
    setitimer(ITIMER_PROF, &timer, nullptr);
}

}  // namespace smux_cpu
