// The CPU engine under the server of forms.
#include "replay.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "memory.h"
#include "replay_server.h"
#include "smux_cpu/error.h"

namespace smux_cpu {

void **launched_arguments;
bool stopped;

namespace {

// Nanoseconds for which this thread, which runs the kernels, has had the processor: the C library's clocks are virtual here.
long long processor_time() {
    timespec t;
    syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * 1000000000ll + t.tv_nsec;
}

struct engine : smux_replay::device {
    std::map<char *, size_t> live() override {
        std::map<char *, size_t> all;
        each_allocation([&](const allocation &a) { all[a.base] = a.bytes; });
        return all;
    }
    char *keep(size_t bytes) override { return static_cast<char *>(malloc(bytes + 1)); }
    void copy(char *to, const char *from, size_t bytes) override { memcpy(to, from, bytes); }
    size_t differing(const char *a, const char *b, size_t bytes, size_t *first) override {
        size_t n = 0;
        if (memcmp(a, b, bytes) == 0) return n;
        for (size_t i = bytes; i-- > 0;)
            if (a[i] != b[i]) n++, *first = i;
        return n;
    }
    std::string run(smux_replay::form f, void **arguments, double *nanoseconds) override {
        const long long begin = processor_time();
        const int error = f(arguments, nullptr);
        *nanoseconds = double(processor_time() - begin);
        return error ? cudaGetErrorName(cudaError_t(error)) : "";
    }
};

}  // namespace

bool replay(const config &c, const char *kernel, const std::function<void()> &original) {
    if (stopped || !smux_replay::is_asked(kernel)) return false;
    stopped = true;
    engine e;
    const dim3 &g = c.grid, &b = c.block;
    const smux_replay::launch l = {{g.x, g.y, g.z}, {b.x, b.y, b.z}, c.shared, kernel, launched_arguments, original};
    smux_replay::server(e, l).serve();
    stopped = false;
    return true;
}

}  // namespace smux_cpu

// A form's launch sets its own; those of the original stay what they were.
void smux_cpu_arguments(void **arguments) {
    if (!smux_cpu::stopped) smux_cpu::launched_arguments = arguments;
}

// The memory of a constant of the program.
extern "C" void *smux_replay_variable(const char *name) { return dlsym(RTLD_DEFAULT, name); }
