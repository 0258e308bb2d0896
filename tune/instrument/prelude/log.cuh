
// The copy log: what the host gets to see of the device's memory, in order. Its form is one record after the
// other, little-endian, as `Head` below; `stored` bytes follow it.
namespace smux_launch {

struct Head {
    uint32_t magic, what, element, flags;
    uint64_t sequence, bytes, place, hash, stored;
};
static_assert(sizeof(Head) == 56, "the log has no padding");

enum { copied = 1, copied_from_symbol = 2, behind_a_launch = 4 };

inline uint64_t fnv1a(const void *memory, size_t count) {
    const unsigned char *p = (const unsigned char *)memory;
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < count; ++i) hash = (hash ^ p[i]) * 1099511628211u;
    return hash;
}

// Writes a record. Memory that is as it was is not stored, and none is once the log is full.
inline void record(uint32_t what, const void *memory, size_t count, uint32_t element, uint64_t hash, bool unchanged = false) {
    FILE *file = environment().copies;
    static uint64_t sequence = 0;
    Lock whole;
    uint64_t stored = unchanged ? 0 : count;
    if (stored > environment().stored) stored = environment().stored;
    environment().stored -= stored;
    const Head head = {0x43585553u, what, element, unchanged, sequence++, count, 0, hash, stored};
    fwrite(&head, sizeof head, 1, file);
    if (stored > 0) fwrite(memory, 1, (size_t)stored, file);
    fflush(file);  // the program may end in any way
}

inline bool is_logging() { return environment().copies != nullptr; }

inline void log_memory(uint32_t what, const void *memory, size_t count, uint32_t element) {
    if (!is_logging() || !memory || element == pointer) return;
    record(what, memory, count, element, fnv1a(memory, count));
}

// A box of rows that are `pitch` bytes apart, in slices that are `slice` bytes apart: one record where nothing
// is in between, else one for each row.
inline void log_box(uint32_t what, const void *memory, size_t width, size_t height, size_t depth, size_t pitch, size_t slice, uint32_t element) {
    const char *base = (const char *)memory;
    if ((height == 1 || pitch == width) && (depth == 1 || slice == width * height)) {
        log_memory(what, base, width * height * depth, element);
        return;
    }
    for (size_t z = 0; z < depth; ++z)
        for (size_t y = 0; y < height; ++y) log_memory(what, base + z * slice + y * pitch, width, element);
}

}  // namespace smux_launch
