// What fresh device memory holds. Small allocations are filled; large ones are mapped, copy on write, from a file of
// poison: they hold it as well, but take real memory only page by page, where they are written.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "memory.h"

namespace smux_cpu {
namespace {

constexpr size_t large = size_t(16) << 20;       // from here on mapped
constexpr size_t file_bytes = size_t(8) << 20;   // 16 GiB take 2,048 mappings of it; Linux allows 65,530

char *up(char *p) { return reinterpret_cast<char *>((uintptr_t(p) + page - 1) / page * page); }
char *down(char *p) { return reinterpret_cast<char *>(uintptr_t(p) / page * page); }

// From a multiple of 4 on.
void poison(char *p, char *end) {
    const uint32_t word = fresh_word();
    for (; p < end; p += sizeof word) memcpy(p, &word, std::min(sizeof word, size_t(end - p)));
}

// -1 where the system has no such files.
int poison_file() {
    static const int file = [] {
#ifdef MFD_CLOEXEC
        int f = memfd_create("smux-poison", MFD_CLOEXEC);
        if (f < 0) return -1;
        std::vector<char> piece(1 << 20);
        poison(piece.data(), piece.data() + piece.size());
        for (size_t done = 0; done < file_bytes; done += piece.size())
            if (::write(f, piece.data(), piece.size()) != ssize_t(piece.size())) return -1;
        return f;
#else
        return -1;
#endif
    }();
    return file;
}

bool map_poison(char *from, char *to) {
    if (poison_file() < 0) return false;
    for (char *p = from; p < to; p += file_bytes) {
        size_t n = size_t(to - p) < file_bytes ? size_t(to - p) : file_bytes;
        void *m = mmap(p, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE | MAP_FIXED, poison_file(), 0);
        if (m == MAP_FAILED) return false;
    }
    return true;
}

}  // namespace

uint32_t fresh_word() {
    static const uint32_t word = [] {
        const char *s = getenv("SMUX_DEVICE_FILL");
        return s ? uint32_t(strtoul(s, nullptr, 0)) * 0x01010101u : 0xa5b5a5a5u;
    }();
    return word;
}

bool fill_fresh(char *p, size_t bytes, int kind) {
    char *first = up(p), *last = down(p + bytes);
    if (kind != 0) {
        if (first >= last) {
            memset(p, 0, bytes);
        } else {
            // Freed memory is given back, so whole pages are zero already; but not those of a freed neighbour's edge.
            madvise(first, size_t(last - first), MADV_DONTNEED);
            memset(p, 0, size_t(first - p));
            memset(last, 0, size_t(p + bytes - last));
        }
        return false;
    }
    if (bytes >= large && map_poison(first, last)) {
        poison(p, first);
        poison(last, p + bytes);
        return true;
    }
    // Without the poison file only the beginning of a large allocation is filled; the rest is zero.
    poison(p, p + std::min(bytes, large));
    return false;
}

void forget_pages(char *p, size_t bytes, bool mapped) {
    char *first = up(p), *last = down(p + bytes);
    if (first >= last) return;
    size_t n = size_t(last - first);
    if (mapped)
        mmap(first, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    else
        madvise(first, n, MADV_DONTNEED);
}

}  // namespace smux_cpu

bool smux_cpu_is_fresh(const void *p, size_t bytes) {
    const char *c = static_cast<const char *>(p);
    const uint32_t word = smux_cpu::fresh_word();
    if (bytes < sizeof word) c -= uintptr_t(c) % sizeof word, bytes = sizeof word;
    for (const char *end = c + bytes; c < end; c++)
        if ((unsigned char)*c != (unsigned char)(word >> uintptr_t(c) % sizeof word * 8)) return false;
    return true;
}
