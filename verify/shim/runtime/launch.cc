// smux_cpu_launch: checks the configuration as CUDA does and runs the grid.
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "check_arguments.h"
#include "configuration.h"
#include "explore.h"
#include "faults.h"
#include "grid.h"
#include "replay.h"
#include "report.h"
#include "shared.h"
#include "smux_cpu/device_limits.h"
#include "sums.h"
#include "smux_cpu/host_abi.h"
#include "watchdog.h"

namespace smux_cpu {

const launch *launched;
__thread unsigned unseen_locks;
bool host_makes_threads;

namespace {
// Host threads take turns: all of this runtime belongs to the one whose kernel runs.
own<std::recursive_mutex> one_turn;
}  // namespace

turn::turn() : mine_(one_turn.try_lock()) {
    static bool patient = true;
    for (int i = 0; !mine_ && patient && i < 1000; i++) {
        const timespec millisecond = {0, 1000000};
        syscall(SYS_nanosleep, &millisecond, nullptr);
        mine_ = one_turn.try_lock();
    }
    patient = patient && mine_;
}
turn::~turn() {
    if (mine_) one_turn.unlock();
}

uint3 thread_of(unsigned rank) {
    return {rank % blockDim.x, rank / blockDim.x % blockDim.y, rank / blockDim.x / blockDim.y};
}

uint3 block_of(unsigned linear) {
    return {linear % gridDim.x, linear / gridDim.x % gridDim.y, linear / gridDim.x / gridDim.y};
}

namespace {

struct launched_kernel {
    long long launches, blocks;
    unsigned threads;             // of its largest block
    std::vector<uintptr_t> place;  // of a launch with that, if it may have too few registers
};

// Blocks of no more have enough, whatever their kernel is.
constexpr unsigned threads_of_any_kernel = unsigned(device::registers_per_multiprocessor) / (device::registers_per_thread + 1);


// By what each is called at its launches. Leaked: the end of the program may be after the end of its variables.
std::map<std::string, launched_kernel> &all_launched() {
    static auto *all = new std::map<std::string, launched_kernel>;
    return *all;
}

void refuse(const refusal &why, const char *kernel) {
    uintptr_t pcs[64];
    int depth = backtrace(pcs, 64);
    record("launch-error").text("kernel", kernel).pcs(pcs, depth).text("text", why.text).number("error", why.error).write();
    smux_cpu_set_error(why.error);
}

}  // namespace

void count_launch(const char *kernel, unsigned long long blocks, unsigned threads) {
    launched_kernel &k = all_launched()[kernel];
    k.launches++;
    k.blocks += blocks;
    if (threads <= k.threads) return;
    k.threads = threads;
    if (threads <= threads_of_any_kernel) return;
    k.place.resize(64);
    k.place.resize(size_t(backtrace(k.place.data(), 64)));
}

std::string launched_kernels() {
    std::string all;
    for (const auto &[name, k] : all_launched()) {
        record one(nullptr);
        one.text("name", name).number("launches", k.launches).number("blocks", k.blocks).number("threads", k.threads);
        if (!k.place.empty()) one.pcs(k.place.data(), int(k.place.size()));
        all += (all.empty() ? "" : ",") + one.json();
    }
    return "[" + all + "]";
}

}  // namespace smux_cpu

using namespace smux_cpu;

static const void *called;  // by the launch that is being made; null where it names its kernel
void smux_cpu_called(const void *kernel) { called = kernel; }

void smux_cpu_kernel_compiled(const char *name) { all_launched()[name]; }

void smux_cpu_launch(const config *c, const char *kernel, void (*body)(void *), void *argument) {
    if (smux_cpu_in_kernel) smux_cpu_not_supported("launch of a kernel by a kernel");
    if (replay(*c, kernel, [&] { smux_cpu_launch(c, kernel, body, argument); })) return;
    std::lock_guard<own<std::recursive_mutex>> mine(one_turn);
    struct ending {
        ~ending() { check::end_arguments(); }
    } however_it_ends;

    const char *name = called ? smux_cpu_kernel_name(called) : kernel;
    called = nullptr;
    if (refusal why = refused(*c); why.text) return refuse(why, kernel);
    static bool first = true;
    if (first) check::program_begin();
    first = false;
    watch();

    gridDim = c->grid;
    blockDim = c->block;
    launch l = {c, body, argument, c->block.x * c->block.y * c->block.z, uint64_t(c->grid.x) * c->grid.y * c->grid.z};
    launched = &l;
    now = {0, 0, l.block_size, unsigned(++total.launches), kernel};
    count_launch(name, l.blocks, l.block_size);
    forget_launch_bounds();
    begin_sums();
    size_dynamic_shared(c->shared);
    check::launch_begin(c->stream);
    check::begin_arguments();
    begin_exploring(l.blocks, l.block_size);
    run_grid(l);
    end_exploring();
    check::launch_end();
    end_after_fault();
    if (refusal why = refused(*c, declared_shared()); why.text) refuse(why, kernel);
    now.kernel = nullptr;
    launched = nullptr;
}
