#include "faults.h"

#include <sys/mman.h>
#include <ucontext.h>

#include <cstring>

#include "check.h"
#include "memory.h"

namespace smux_cpu {
namespace {

constexpr int most_pages = 4096;
std::string held;  // the finding that will end the program
int pages;

bool give_memory(char *from) {
    if (from >= shared_arena.low && from < shared_arena.high) return mprotect(from, page, PROT_READ | PROT_WRITE) == 0;
#ifdef MAP_FIXED_NOREPLACE
    return mmap(from, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == from;
#else
    return false;
#endif
}

}  // namespace

bool go_on_after_fault(char *address, const record &finding) {
    char *from = reinterpret_cast<char *>(uintptr_t(address) / page * page);
    if (!check::on || !from || pages == most_pages || !give_memory(from)) return false;
    pages++;
    fill_canaries(from, page);
    if (held.empty()) held = finding.json();
    return true;
}

void write_held_fault() {
    if (held.empty()) return;
    record r = record::ready_made(held);
    held.clear();
    r.write();
}

void end_after_fault() {
    if (held.empty()) return;
    record r = record::ready_made(held);
    held.clear();
    r.fatal();
}

#if defined(__x86_64__)

namespace {

// A div or idiv, in the registers of the context that it was to be done in.
struct division_instruction {
    greg_t *registers;
    unsigned length = 0;
    unsigned bits = 0;
    uint64_t divisor = 0;

    explicit division_instruction(greg_t *r) : registers(r) { decode(reinterpret_cast<const unsigned char *>(r[REG_RIP])); }

    greg_t &number(unsigned n) {
        static const int order[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                                    REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
        return registers[order[n]];
    }

    // F7 /6 and /7: 32 bits, 16 behind 66, 64 behind a prefix with W. Those of bytes are not made by compilers for C.
    void decode(const unsigned char *begin) {
        const unsigned char *p = begin;
        bool half = false;
        if (*p == 0x66) half = true, p++;
        unsigned prefix = 0;
        if (*p >> 4 == 4) prefix = *p++;
        if (*p++ != 0xf7) return;
        const unsigned form = *p++, mode = form >> 6, operation = form >> 3 & 7;
        unsigned base = form & 7;
        if (operation < 6) return;
        const unsigned width = prefix & 8 ? 64 : half ? 16 : 32;
        if (mode == 3) {
            divisor = uint64_t(number(base | (prefix & 1) << 3));
        } else {
            uint64_t address = 0;
            bool displaced = false, relative = false;
            if (base == 4) {
                const unsigned scale = *p >> 6, index = (*p >> 3 & 7) | (prefix & 2) << 2;
                base = *p++ & 7;
                if (index != 4) address += uint64_t(number(index)) << scale;
                displaced = base == 5 && mode == 0;
            } else {
                relative = displaced = base == 5 && mode == 0;
            }
            if (!displaced) address += uint64_t(number(base | (prefix & 1) << 3));
            int32_t far = 0;
            if (mode == 1) far = int8_t(*p), p++;
            if (mode == 2 || displaced) memcpy(&far, p, 4), p += 4;
            address += uint64_t(int64_t(far));
            if (relative) address += uint64_t(p - begin) + uint64_t(registers[REG_RIP]);
            memcpy(&divisor, reinterpret_cast<const void *>(address), width / 8);
        }
        if (width < 64) divisor &= (uint64_t(1) << width) - 1;
        bits = width;
        length = unsigned(p - begin);
    }

    // 32 bits clear the upper half, 16 leave it.
    void set(int which, uint64_t value) {
        const uint64_t old = uint64_t(registers[which]);
        registers[which] = greg_t(bits == 64 ? value : bits == 32 ? value & 0xffffffff : (old & ~uint64_t(0xffff)) | (value & 0xffff));
    }
};

}  // namespace

division finish_division(void *context) {
    greg_t *registers = static_cast<ucontext_t *>(context)->uc_mcontext.gregs;
    division_instruction it(registers);
    if (!it.length) return division::unknown;
    const uint64_t dividend = uint64_t(registers[REG_RAX]);
    it.set(REG_RAX, it.divisor ? dividend : ~uint64_t(0));
    it.set(REG_RDX, it.divisor ? 0 : dividend);
    registers[REG_RIP] += it.length;
    return it.divisor ? division::overflow : division::by_zero;
}

#else

division finish_division(void *) { return division::unknown; }

#endif

}  // namespace smux_cpu
