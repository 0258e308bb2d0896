// What orders threads of the host, told the checker: functions of the C library that take its functions' place, and call them.
// Those whose makers wait for each other by other means (libgomp, say) count as one.
// Modelled: Host threads | kernels run one at a time; joins, locks and atomics tell what was waited for | races of the host itself; kernels that wait for the host
#include <cstring>
#include <utility>

#if defined(__GLIBC__) && !defined(SMUX_CPU_ADDRESS)
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>

#include "check_streams.h"
#include "engine.h"
#include "schedule.h"

namespace smux_cpu {
namespace {

// What the thread did comes before what others do that learn it.
enum { tells = 1, learns = 2 };

template <class... P, class... A> int told(int (*real)(P...), int what, const volatile void *object, A... arguments) {
    const bool seen = check::on && !unseen_locks;
    const void *const by = const_cast<const void *>(object);
    unseen_locks++;
    if (seen && (what & tells)) check::host_thread_tells(by);
    const int error = real(arguments...);
    if (seen && (what & learns) && (error == 0 || error == PTHREAD_BARRIER_SERIAL_THREAD)) check::host_thread_learns(by);
    unseen_locks--;
    return error;
}

struct beginning {
    void *(*routine)(void *);
    void *argument, *state;
};
struct ending {
    ~ending() {
        unseen_locks++;
        check::host_thread_ends(reinterpret_cast<const void *>(pthread_self()));
    }
};

void *begin(void *of) {
    const beginning b = *static_cast<beginning *>(of);
    delete static_cast<beginning *>(of);
    static thread_local ending however_it_ends;
    (void)however_it_ends;
    check::host_thread_begins(b.state);
    return b.routine(b.argument);
}

// What pthread_once is to call.
struct once_routine {
    const void *once;
    void (*routine)();
};
thread_local once_routine this_once;
void call_and_tell() {
    const once_routine mine = this_once;
    mine.routine();
    check::host_thread_tells(mine.once);
}

// Do its makers call nothing but what is seen here?
bool is_seen(void *(*routine)(void *)) {
    Dl_info in;
    return in_executable(uintptr_t(routine)) || (dladdr(reinterpret_cast<void *>(routine), &in) && in.dli_fname && (strstr(in.dli_fname, "libstdc++") || strstr(in.dli_fname, "libc++")));
}

}  // namespace
}  // namespace smux_cpu

using namespace smux_cpu;

#define REAL(name) static auto *const real = reinterpret_cast<decltype(&::name)>(dlsym(RTLD_NEXT, #name))
#define TOLD(what, by, name, parameters, ...)                                  \
    int name parameters noexcept(noexcept(::name(__VA_ARGS__))) {              \
        REAL(name);                                                            \
        return told(real, what, by, __VA_ARGS__);                              \
    }

extern "C" {

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*routine)(void *), void *argument) noexcept {
    REAL(pthread_create);
    host_makes_threads = true;
    if (!check::on || unseen_locks) return real(thread, attributes, routine, argument);
    unseen_locks++;
    const int error = real(thread, attributes, begin, new beginning{routine, argument, check::host_thread_made(is_seen(routine))});
    unseen_locks--;
    return error;
}
int pthread_join(pthread_t thread, void **result) {
    REAL(pthread_join);
    return told(real, learns, reinterpret_cast<const void *>(thread), thread, result);
}

int pthread_once(pthread_once_t *once, void (*routine)()) {
    REAL(pthread_once);
    if (!check::on || unseen_locks) return real(once, routine);
    const auto outer = std::exchange(this_once, once_routine{once, routine});
    const int error = real(once, call_and_tell);
    this_once = outer;
    check::host_thread_learns(once);
    return error;
}

TOLD(learns, m, pthread_mutex_lock, (pthread_mutex_t *m), m)
TOLD(learns, m, pthread_mutex_trylock, (pthread_mutex_t *m), m)
TOLD(learns, m, pthread_mutex_timedlock, (pthread_mutex_t *m, const timespec *until), m, until)
TOLD(tells, m, pthread_mutex_unlock, (pthread_mutex_t *m), m)
TOLD(tells | learns, m, pthread_cond_wait, (pthread_cond_t *c, pthread_mutex_t *m), c, m)
TOLD(tells | learns, m, pthread_cond_timedwait, (pthread_cond_t *c, pthread_mutex_t *m, const timespec *until), c, m, until)
TOLD(tells | learns, m, pthread_cond_clockwait, (pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock, const timespec *until), c, m, clock, until)
TOLD(learns, l, pthread_rwlock_rdlock, (pthread_rwlock_t *l), l)
TOLD(learns, l, pthread_rwlock_wrlock, (pthread_rwlock_t *l), l)
TOLD(learns, l, pthread_rwlock_tryrdlock, (pthread_rwlock_t *l), l)
TOLD(learns, l, pthread_rwlock_trywrlock, (pthread_rwlock_t *l), l)
TOLD(tells, l, pthread_rwlock_unlock, (pthread_rwlock_t *l), l)
TOLD(learns, l, pthread_spin_lock, (pthread_spinlock_t *l), l)
TOLD(learns, l, pthread_spin_trylock, (pthread_spinlock_t *l), l)
TOLD(tells, l, pthread_spin_unlock, (pthread_spinlock_t *l), l)
TOLD(tells | learns, b, pthread_barrier_wait, (pthread_barrier_t *b), b)
TOLD(tells, s, sem_post, (sem_t *s), s)
TOLD(learns, s, sem_wait, (sem_t *s), s)
TOLD(learns, s, sem_trywait, (sem_t *s), s)
TOLD(learns, s, sem_timedwait, (sem_t *s, const timespec *until), s, until)

}  // extern "C"
#endif
