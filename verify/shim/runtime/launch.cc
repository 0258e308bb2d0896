// smux_cpu_launch: checks the configuration as CUDA does and runs the grid.
#include <mutex>

#include "grid.h"
#include "report.h"
#include "shared.h"
#include "watchdog.h"

namespace smux_cpu {

const launch *launched;

uint3 thread_of(unsigned rank) {
    return {rank % blockDim.x, rank / blockDim.x % blockDim.y, rank / blockDim.x / blockDim.y};
}

uint3 block_of(unsigned linear) {
    return {linear % gridDim.x, linear / gridDim.x % gridDim.y, linear / gridDim.x / gridDim.y};
}

namespace {

constexpr int invalid_value = 1, invalid_configuration = 9;  // of cudaError_t

const char *fault(const config &c, int *code) {
    *code = invalid_configuration;
    const dim3 &g = c.grid, &b = c.block;
    if (g.x == 0 || g.y == 0 || g.z == 0) return "a grid without blocks";
    if (b.x == 0 || b.y == 0 || b.z == 0) return "a block without threads";
    if (g.x > 0x7fffffffu || g.y > 65535 || g.z > 65535) return "a grid larger than 2147483647 x 65535 x 65535";
    if (b.x > 1024 || b.y > 1024 || b.z > 64 || uint64_t(b.x) * b.y * b.z > most_threads)
        return "a block larger than 1024 threads or 64 in z";
    *code = invalid_value;
    if (c.shared > most_dynamic_shared) return "more than 227 kB of dynamic shared memory";
    return nullptr;
}

}  // namespace
}  // namespace smux_cpu

using namespace smux_cpu;

void smux_cpu_launch(const config *c, const char *kernel, void (*body)(void *), void *argument) {
    // Host threads take turns: all of this runtime belongs to the one whose kernel runs.
    static std::mutex turn;
    if (smux_cpu_in_kernel) smux_cpu_not_supported("launch of a kernel by a kernel");
    std::lock_guard<std::mutex> mine(turn);

    int code;
    if (const char *why = fault(*c, &code)) {
        record("launch-error").text("kernel", kernel).text("text", why).number("error", code).write();
        smux_cpu_set_error(code);
        return;
    }
    static bool first = true;
    if (first) check::program_begin();
    first = false;
    watch();

    gridDim = c->grid;
    blockDim = c->block;
    launch l = {c, body, argument, c->block.x * c->block.y * c->block.z, uint64_t(c->grid.x) * c->grid.y * c->grid.z};
    launched = &l;
    now = {0, 0, l.block_size, unsigned(++total.launches), kernel};
    size_dynamic_shared(c->shared);
    check::launch_begin();
    run_grid(l);
    check::launch_end();
    now.kernel = nullptr;
    launched = nullptr;
}
