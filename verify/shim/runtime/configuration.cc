#include "configuration.h"

#include <cstdlib>
#include <string>

#include "schedule.h"
#include "smux_cpu/device_limits.h"
#include "smux_cpu/error_codes.h"

namespace smux_cpu {
namespace {

size_t allowed_dynamic = device::shared_per_block;
bool opted_in;
unsigned long long bound;  // threads per block that the kernel's launch bounds allow, 0 where it has none

// The GPU that SMUX_GPU names, as "65536 T4": the most shared memory that a block can have there, and why a launch is refused
// that needs more.
struct { size_t shared = ~size_t(0); std::string text; } board;

void read_board() {
    static bool done;
    const char *text = getenv("SMUX_GPU");
    if (done || !text) return;
    done = true;
    char *name;
    board.shared = strtoul(text, &name, 10);
    board.text = "a block with more shared memory than the" + std::string(name) + " has for one, " + std::to_string(board.shared) + " bytes";
}

bool fits(const config &c) {
    const size_t blocks = size_t(c.grid.x) * c.grid.y * c.grid.z;
    const int threads = int(c.block.x * c.block.y * c.block.z);
    return blocks <= size_t(device::multiprocessors) * size_t(device::resident_blocks(threads, c.shared));
}

}  // namespace

refusal refused(const config &c) {
    const dim3 &g = c.grid, &b = c.block;
    if (g.x == 0 || g.y == 0 || g.z == 0) return {"a grid without blocks", cudaErrorInvalidConfiguration};
    if (b.x == 0 || b.y == 0 || b.z == 0) return {"a block without threads", cudaErrorInvalidConfiguration};
    if (g.x > device::grid_x || g.y > device::grid_y || g.z > device::grid_z)
        return {"a grid larger than 2147483647 x 65535 x 65535", cudaErrorInvalidConfiguration};
    if (b.x > device::block_x || b.y > device::block_y || b.z > device::block_z || uint64_t(b.x) * b.y * b.z > most_threads)
        return {"a block larger than 1024 threads or 64 in z", cudaErrorInvalidConfiguration};
    read_board();
    if (c.shared > board.shared) return {board.text.c_str(), cudaErrorInvalidValue};
    if (c.shared > device::shared_per_block_most) return {"more than 163 kB of dynamic shared memory", cudaErrorInvalidValue};
    if (c.shared > allowed_dynamic)
        return {"more dynamic shared memory than the kernel may have: beyond 48 kB, cudaFuncSetAttribute must allow it",
                cudaErrorInvalidValue};
    if (c.cooperative && !fits(c))
        return {"a cooperative grid with more blocks than the device, of 8 multiprocessors, holds at a time: "
                "cudaOccupancyMaxActiveBlocksPerMultiprocessor tells how many",
                cudaErrorCooperativeLaunchTooLarge};
    return {nullptr, cudaSuccess};
}

int unbounded_registers() {
    static const int registers = [] {
        const char *s = getenv("SMUX_REGISTERS");
        const int n = s ? atoi(s) : 0;
        return n > 0 && n <= device::registers_per_thread ? n : device::registers_least;
    }();
    return registers;
}

int unbounded_threads() {
    constexpr int unit = 8;  // registers are handed out in eights
    const int threads = device::registers_per_multiprocessor / ((unbounded_registers() + unit - 1) / unit * unit);
    return threads < device::threads_per_block ? threads / device::warp * device::warp : device::threads_per_block;
}

refusal refused(const config &c, size_t declared) {
    const uint64_t threads = uint64_t(c.block.x) * c.block.y * c.block.z;
    if (bound && threads > bound) return {"a block of more threads than the kernel's __launch_bounds__ allow", cudaErrorInvalidValue};
    if (!bound && threads > uint64_t(unbounded_threads()))
        return {"a block of more threads than the kernel's registers allow, as it has no __launch_bounds__", cudaErrorLaunchOutOfResources};
    if (declared > device::shared_per_block)
        return {"a block declares more than 48 kB of shared memory: nvcc does not compile that", cudaErrorInvalidValue};
    if (declared + c.shared > board.shared) return {board.text.c_str(), cudaErrorInvalidValue};
    if (declared + c.shared > (opted_in ? device::shared_per_block_most : device::shared_per_block))
        return {opted_in ? "declared and dynamic shared memory together are more than 163 kB"
                         : "declared and dynamic shared memory together are more than 48 kB, and cudaFuncSetAttribute has not "
                           "allowed it",
                cudaErrorInvalidValue};
    return {nullptr, cudaSuccess};
}

void allow_dynamic_shared(size_t bytes) {
    opted_in = true;
    if (bytes > allowed_dynamic) allowed_dynamic = bytes;
}

void forget_launch_bounds() { bound = 0; }

}  // namespace smux_cpu

void smux_cpu_launch_bounds(unsigned long long threads) { smux_cpu::bound = threads; }
