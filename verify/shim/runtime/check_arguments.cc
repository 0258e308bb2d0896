#include "check_arguments.h"

#include <vector>

#include "image.h"
#include "report.h"
#include "smux_cpu/memory.h"

namespace smux_cpu {
namespace check {

unsigned host_arguments;

namespace {

// What of an object is surely the host's: memory that a kernel allocates can't be nearer to it.
constexpr size_t surely = 16;

// To the launch that this host thread is about to make, or makes.
thread_local std::vector<const char *> given;

bool is_host_memory(const void *p) {
    const char *c = static_cast<const char *>(p);
    auto in = [c](const arena &a) { return c >= a.low && c < a.high; };
    if (uintptr_t(p) < 4096 || in(global_arena) || in(shared_arena) || in(image_variables())) return false;
    cudaPointerAttributes attributes;
    return cudaPointerGetAttributes(&attributes, p) == cudaSuccess && attributes.type == cudaMemoryTypeUnregistered;
}

}  // namespace

void begin_arguments() {
    if (on && checks.bounds) host_arguments = unsigned(given.size());
    set_quick();
}

void end_arguments() {
    host_arguments = 0;
    set_quick();
    given.clear();
}

void host_memory_access(const void *p, manner how, uint32_t pc) {
    for (const char *target : given) {
        if (size_t(static_cast<const char *>(p) - target) >= surely || !first_time("illegal-address", pc)) continue;
        record r("illegal-address");
        r.here().flag("write", how.write).text("space", "host");
        r.text("text", "an argument of the launch points there").write();
    }
}

}  // namespace check
}  // namespace smux_cpu

void smux_cpu_pointer_argument(const void *p) {
    using namespace smux_cpu::check;
    if (on && is_host_memory(p)) given.push_back(static_cast<const char *>(p));
}
