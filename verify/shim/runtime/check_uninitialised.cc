#include "check_uninitialised.h"

#include <sys/mman.h>

#include "memory.h"

namespace smux_cpu {
namespace check {

written_word *written_words;

void begin_uninitialised() {
    if (written_words || !shared_arena.low) return;
    size_t words = size_t(shared_arena.high - shared_arena.low) / 4;
    written_words = static_cast<written_word *>(reserve_shadow((words + 8) * sizeof *written_words));
    if (!written_words) smux_cpu_not_supported("no address space for the check of uninitialised reads");
}

void forget_written() {
    if (written_words) madvise(written_words, size_t(shared_arena.high - shared_arena.low) / 4 * sizeof *written_words, MADV_DONTNEED);
}

void shared_entered(const shared_variable *) {}  // a block's stamp is new, so everything counts as never written

// Is this what is left of rows up to the next one? Programs that read rows by float4 read it, too, and may make nothing of it.
static bool is_padding(const void *p, size_t bytes) {
    const allocation *a = allocation_below(p);
    if (!a || !a->pitch) return false;
    const size_t column = size_t(static_cast<const char *>(p) - a->base) % a->pitch;
    return column >= a->width && column + bytes <= a->pitch;
}

void uninitialised_read(const void *p, size_t bytes, uint32_t pc, space where, const char *text) {
    const bool padding = where == space::global && is_padding(p, bytes);
    // A block that went on after others ran: what it wrote before is not known any more.
    if ((block->forgot && where == space::shared) || !first_time(padding ? "padding" : "uninitialised", pc)) return;
    if (padding) text = "padding of a row";
    record r("uninitialised");
    r.here().flag("write", false);
    describe(r, p, bytes, where);
    if (text) r.text("text", text);
    r.write();
}

}  // namespace check
}  // namespace smux_cpu
