// What AddressSanitizer finds, put into the report with what it does not know: the thread of a kernel that ran. It
// then prints its own message, which names variables on stacks, and ends the program.
#ifdef SMUX_CPU_ADDRESS
#include <cstdio>

#include "memory.h"
#include "neighbour.h"
#include "schedule.h"
#include "shared.h"
#include "signals.h"

// Of the sanitizer's interface. The frame is that of its own function that was called with the bad address; there is
// none, and no address, where a whole call is at fault, such as a second free.
extern "C" {
void *__asan_get_report_bp();
void *__asan_get_report_address();
int __asan_get_report_access_type();  // 1: a write
size_t __asan_get_report_access_size();
const char *__asan_get_report_description();
void __asan_on_error();
}

namespace smux_cpu {
namespace {

// As if the program had been interrupted at its call of the function that has this frame. Without a frame the record
// has no call stack, and the one that the sanitizer prints counts: its own functions keep no chain of frames.
interruption at_call(void **frame) {
    if (!frame) return {0, 0, nullptr};
    return {uintptr_t(frame[1]) - 1, uintptr_t(frame + 2), frame[0]};
}

bool near_allocation(const char *p) {
    char *base;
    if (freed_around(p, &base)) return true;
    const allocation *a = allocation_below(p);
    auto after = allocations().upper_bound(const_cast<char *>(p));
    return (a && p < a->base + a->bytes + red_zone) || (after != allocations().end() && after->first - p <= ptrdiff_t(red_zone));
}

void describe(record &r, const char *p, const char *kind) {
    if (p >= shared_arena.low && p < shared_arena.high) {
        r.text("space", "shared");
        describe_by_variable(r, p);
    } else if (on_fiber_stack(p)) {
        r.text("space", "local").text("text", std::string("address sanitizer: ") + kind);
    } else if (near_allocation(p)) {
        r.text("space", "global");
        describe_by_allocation(r, p);
    } else {
        r.text("text", std::string("address sanitizer: ") + kind);
    }
}

}  // namespace
}  // namespace smux_cpu

using namespace smux_cpu;

// Called before the sanitizer's message.
void __asan_on_error() {
    auto **frame = static_cast<void **>(__asan_get_report_bp());
    const char *kind = __asan_get_report_description();
    interruption at = at_call(frame);
    interrupted = &at;
    record r("out-of-bounds");
    r.here().text("sanitizer", kind);
    if (frame) {
        r.flag("write", __asan_get_report_access_type() == 1).number("bytes", (long long)__asan_get_report_access_size());
        describe(r, static_cast<const char *>(__asan_get_report_address()), kind);
    } else {
        r.text("text", std::string("address sanitizer: ") + kind);
    }
    interrupted = nullptr;
    r.write();
    write_end(true);
    fflush(nullptr);
}
#endif
