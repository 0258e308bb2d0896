
// Results of a launch, each in another's place: what a later launch may find where it writes its own. One that
// looks whether its output is there, and then does nothing, differs from the original.
namespace smux_launch {

inline size_t size_of(uint32_t element) {
    switch (element) {
    case f64: case i64: case u64: return 8;
    case f32: case i32: case u32: return 4;
    case f16: case bf16: case i16: case u16: return 2;
    }
    return 1;
}

// The bytes that are moved together, for memory whose type nobody told as well: no scalar and no structure of that
// size is cut.
inline size_t piece_of(size_t count, uint32_t element) {
    if (count >= 64 && count % 16 == 0) return 16;
    if (element == bytes) return count % 4 == 0 ? 4 : 1;
    return size_of(element);
}

// The memory as it was before a launch, with the pieces that the launch changed: each the one that the next of them
// has become, so that all values are such as the program makes, and what was only read stays. False where that is as
// it was before, or as the launch left it.
inline bool misplace(char *stale, const char *before, const char *after, size_t count, uint32_t element) {
    const size_t piece = piece_of(count, element);
    memcpy(stale, before, count);
    size_t first = count, last = count;
    for (size_t at = 0; at + piece <= count; at += piece) {
        if (memcmp(before + at, after + at, piece) == 0) continue;
        if (first == count) first = at;
        else memcpy(stale + last, after + at, piece);
        last = at;
    }
    if (first == last) return false;
    memcpy(stale + last, after + first, piece);
    return memcmp(stale, after, count) != 0;
}

}  // namespace smux_launch
