// smux: times the launches of one kernel, and logs what the host gets to see of the device's memory. Without
// the environment that is read here the program does what it did.
#ifndef SMUX_LAUNCH_PRELUDE
#define SMUX_LAUNCH_PRELUDE
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// Only C's headers: C++'s would bring names that a program with `using namespace std` doesn't expect. All is
// inline with external linkage, so that the units of a program share one state.
namespace smux_launch {

inline uint64_t number(const char *name, uint64_t otherwise) {
    const char *text = getenv(name);
    return text && *text ? strtoull(text, nullptr, 10) : otherwise;
}

inline FILE *opened(const char *name, const char *mode) {
    const char *path = getenv(name);
    if (!path || !*path) return nullptr;
    FILE *file = fopen(path, mode);
    if (!file) fprintf(stderr, "smux: can't open %s\n", path);
    return file;
}

// What the environment asks for, read once.
struct Environment {
    FILE *out;            // gets a line for each launch
    size_t bytes;         // of shared memory that each launch takes in addition
    int carveout;         // in per cent, below 0: the driver's choice
    int threads;          // of the blocks that are meant, 0: all
    size_t flush;         // bytes that are written before each launch
    uint64_t hold;        // microseconds for which a stream is held back at most while a launch is prepared
    FILE *copies;         // the copy log
    uint64_t stored;      // bytes that it holds at most, besides the records' heads
    int check;            // launches begin with the memory of the first one, and all memory is logged; 2: or with stale results
    uint64_t snapshots;   // bytes of host memory that this may take
    Environment() :
        out(opened("SMUX_LAUNCH_OUT", "a")), bytes((size_t)number("SMUX_LAUNCH_BYTES", 0)), carveout(-1),
        threads((int)number("SMUX_LAUNCH_THREADS", 0)), flush((size_t)number("SMUX_LAUNCH_FLUSH", 0)), hold(number("SMUX_LAUNCH_HOLD", 0)),
        copies(opened("SMUX_LAUNCH_COPIES", "ab")), stored(number("SMUX_COPY_BYTES", uint64_t(1) << 30)),
        check((int)number("SMUX_LAUNCH_CHECK", 0)), snapshots(number("SMUX_LAUNCH_SNAPSHOTS", uint64_t(8) << 30)) {
        if (const char *text = getenv("SMUX_LAUNCH_CARVEOUT")) carveout = atoi(text);
    }
};

inline Environment &environment() {
    static Environment all;
    return all;
}

inline void say(const char *text, const char *more = "") {
    if (!environment().out) return;
    fprintf(environment().out, "%s%s\n", text, more);
    fflush(environment().out);
}

// Holds back other threads of the host while it lives.
class Lock {
public:
    Lock() {
        if (depth()++ > 0) return;
        while (__sync_lock_test_and_set(held(), 1)) {
        }
    }
    ~Lock() {
        if (--depth() == 0) __sync_lock_release(held());
    }
    Lock(const Lock &) = delete;
    Lock &operator=(const Lock &) = delete;

private:
    static int &depth() {  // a thread may hold it more than once
        static thread_local int one;
        return one;
    }
    static int *held() {
        static int one;
        return &one;
    }
};

}  // namespace smux_launch
