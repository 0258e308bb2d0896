// Virtual time. Whatever a program asks for the time gets one clock, which starts at a fixed moment and advances by
// one microsecond per question: two runs see the same times, and a program that prints its run time prints the same.
// In a kernel each thread has its own, from the launch's beginning on: what others ask before it, in one order and not in another, counts for nothing.
// The definitions below take the place of the C library's in the whole process, so std::chrono comes out here, too;
// the runtime itself asks the kernel (syscall) where it needs real time.
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "schedule.h"

namespace {

constexpr long long second = 1000000000, question = 1000;
constexpr long long epoch = 1600000000 * second;  // an arbitrary time of day, in 2020
long long elapsed, latest;  // latest: of what threads of kernels were told

long long advance(long long by) {
    static bool told;
    static long long launch;
    using namespace smux_cpu;
    if (!smux_cpu_in_kernel || launch != total.launches) elapsed = std::max(elapsed, latest);
    if (!smux_cpu_in_kernel) return elapsed += by;
    if (!told) told = true, smux_cpu_not_modelled("time in kernels: clocks are virtual");
    launch = total.launches;
    long long time = elapsed + (active->threads[now.rank].time += by);
    latest = std::max(latest, time);
    return time;
}

long long next() { return advance(question); }

timespec split(long long nanoseconds) { return {time_t(nanoseconds / second), long(nanoseconds % second)}; }

int pass(const timespec *span) {
    if (!span || span->tv_sec < 0 || span->tv_nsec < 0 || span->tv_nsec >= second) return EINVAL;
    advance(span->tv_sec * second + span->tv_nsec);
    return 0;
}

}  // namespace

unsigned long long smux_cpu_clock() { return (unsigned long long)next(); }

extern "C" {

// CLOCK_REALTIME counts from 1970; all others count from the start of the program.
int clock_gettime(clockid_t clock, timespec *t) noexcept {
    long long time = next();
    *t = split(clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE ? epoch + time : time);
    return 0;
}

int clock_getres(clockid_t, timespec *t) noexcept {
    if (t) *t = split(question);
    return 0;
}

int timespec_get(timespec *t, int base) noexcept {
    if (base != TIME_UTC) return 0;
    *t = split(epoch + next());
    return base;
}

int gettimeofday(timeval *t, void *zone) noexcept {
    timespec s = split(epoch + next());
    *t = {s.tv_sec, suseconds_t(s.tv_nsec / 1000)};
    if (zone) *static_cast<struct timezone *>(zone) = {0, 0};
    return 0;
}

time_t time(time_t *t) noexcept {
    time_t seconds = time_t((epoch + next()) / second);
    if (t) *t = seconds;
    return seconds;
}

clock_t clock() noexcept { return clock_t(next() / (second / CLOCKS_PER_SEC)); }

clock_t times(tms *t) noexcept {
    clock_t ticks = clock_t(next() / (second / sysconf(_SC_CLK_TCK)));
    if (t) *t = {ticks, 0, 0, 0};
    return ticks;
}

double omp_get_wtime() noexcept { return double(next()) / double(second); }

// Sleeping takes no time but virtual time.
int nanosleep(const timespec *span, timespec *) {
    int error = pass(span);
    if (error) errno = error;
    return error ? -1 : 0;
}

int clock_nanosleep(clockid_t clock, int flags, const timespec *span, timespec *) {
    if (!(flags & TIMER_ABSTIME)) return pass(span);
    long long until = span->tv_sec * second + span->tv_nsec - (clock == CLOCK_REALTIME ? epoch : 0);
    long long time = advance(0);
    if (until > time) advance(until - time);
    return 0;
}

int usleep(useconds_t microseconds) {
    advance(microseconds * 1000ll);
    return 0;
}

unsigned sleep(unsigned seconds) {
    advance(seconds * second);
    return 0;
}

}  // extern "C"
