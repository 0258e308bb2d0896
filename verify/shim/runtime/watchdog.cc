// Ends a program whose kernel spins for ever: no barrier or warp operation passed and no thread ended within
// SMUX_WATCHDOG seconds. These are seconds of processor time, so that a busy machine raises no alarm.
#include "watchdog.h"

#include <pthread.h>
#include <signal.h>
#include <sys/time.h>

#include <cerrno>
#include <cstdlib>

#include "grid.h"
#include "report.h"
#include "schedule.h"
#include "signals.h"

namespace smux_cpu {
namespace {

constexpr int looks = 10;  // per period
unsigned long last_progress;
int fruitless;
pthread_t launcher;  // the host thread whose kernel runs

void look(int number, siginfo_t *, void *context) {
    if (launched && !pthread_equal(launcher, pthread_self())) {  // the timer is of the process: any thread may hear it
        pthread_kill(launcher, number);
        return;
    }
    if (!smux_cpu_in_kernel || last_progress != progress) {
        last_progress = progress;
        fruitless = 0;
        return;
    }
    if (++fruitless < looks) return;
    interruption at = interrupted_at(context);
    at.by_timer = true;
    // A report allocates, which a library that was interrupted while it did so can't stand; look again soon.
    if (!in_executable(at.pc) && fruitless < 3 * looks) return;
    interrupted = &at;
    record("spin").here().array("waiters", waiters(*active)).fatal();
}

double period() {
    const char *s = getenv("SMUX_WATCHDOG");
    return s && *s ? strtod(s, nullptr) : 10;
}

}  // namespace

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
