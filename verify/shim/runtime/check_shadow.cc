// Where the checker's shadow lies: address space for it is reserved at the start, seven bytes for each of device memory, and
// pages come when they are touched. How many may is limited; all go when that runs low, between launches: what earlier
// launches did is of no interest.
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "check_bounds.h"
#include "check_constant.h"
#include "check_race.h"
#include "image.h"
#include "memory.h"

namespace smux_cpu {
namespace check {

shadow_memory shared_shadow, variable_shadow, global_shadow;
mark *granules;
arena variables;
long long unchecked_launches;
uint8_t *program_variable;

namespace {

constexpr size_t words_per_chunk = chunk / word;
constexpr size_t most_chunks = (size_t(2) << 30) / (words_per_chunk * 3 * sizeof(mark));
size_t covered;               // so much of device memory has a shadow
bool *made;                   // by chunk
uint8_t *fresh_words;         // by granule, once it was touched: 1 + words that nobody has written
std::vector<size_t> numbers;  // of the chunks that are made
bool exhausted;

void forget(void *p, size_t bytes) {
    if (p) madvise(p, bytes, MADV_DONTNEED);
}

void forget(const shadow_memory &s, size_t first, size_t words) {
    for (mark *of : {s.write, s.read, s.older}) forget(of + first, words * sizeof *of);
}

void forget_chunks() {
    exhausted = false;
    for (size_t n : numbers) {
        forget(global_shadow, n * words_per_chunk, words_per_chunk);
        std::fill_n(granules + n * (chunk / granule), chunk / granule, mark(0));
        std::fill_n(fresh_words + n * (chunk / granule), chunk / granule, uint8_t(0));
        made[n] = false;
    }
    numbers.clear();
}

// Each begins at a page, and has room for what an access may touch behind the memory's end.
shadow_memory reserve(size_t words) {
    const size_t apart = up((words + 8) * sizeof(mark), page) / sizeof(mark);
    mark *p = static_cast<mark *>(reserve_shadow(3 * apart * sizeof(mark)));
    if (!p) return {nullptr, nullptr, nullptr};
    return {p, p + apart, p + 2 * apart};
}

size_t words_of(const arena &a) { return size_t(a.high - a.low) / word; }

}  // namespace

void *reserve_shadow(size_t bytes) {
    void *p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? nullptr : p;
}

void reserve_cells() {
    // Whoever limits address space gets a shadow of a part.
    for (covered = size_t(global_arena.high - global_arena.low); covered >= chunk; covered = covered / 2 / chunk * chunk)
        if ((global_shadow = reserve(covered / word)).write) break;
    granules = static_cast<mark *>(reserve_shadow(covered / granule * sizeof *granules));
    made = static_cast<bool *>(reserve_shadow(covered / chunk + 1));
    fresh_words = static_cast<uint8_t *>(reserve_shadow(covered / granule));
    variables = image_variables();
    variable_shadow = reserve(words_of(variables));
    program_variable = static_cast<uint8_t *>(reserve_shadow(words_of(variables) + 2));
    if (!global_shadow.write || !granules || !made || !fresh_words || !variable_shadow.write || !program_variable)
        smux_cpu_not_supported("no address space for the race check");
}

void reserve_shared_cells() {
    if (shared_shadow.write || !shared_arena.low) return;
    mark *p = static_cast<mark *>(reserve_shadow(3 * shared_apart * sizeof(mark)));
    shared_shadow = {p, p + shared_apart, p + 2 * shared_apart};
    if (!p || words_of(shared_arena) > shared_most / word) smux_cpu_not_supported("no address space for the race check");
}

// Between launches.
void renew_chunks() {
    if (exhausted) unchecked_launches++;
    if (exhausted || numbers.size() >= most_chunks / 2) forget_chunks();
    if (times_run_low()) {
        forget_cells();
        begin_times();
    }
}

void forget_cells() {
    forget_chunks();
    forget(shared_shadow.write, 3 * shared_apart * sizeof(mark));
    forget(variable_shadow, 0, words_of(variables));
}

size_t global_bytes_covered() { return covered; }

// Where a granule is touched first, it is armed, or all its words that are whole ones of an allocation are; but no word that is
// fresh memory, until it is written: so each read of it takes the long way.
bool make_shadow(size_t number, bool write) {
    if (memory_is_new && smux_cpu_in_kernel) check_made(global_arena.low + number * word, word, write);
    const size_t n = number / words_per_chunk;
    if (n >= covered / chunk || (!made[n] && numbers.size() == most_chunks)) {
        exhausted = true;
        return false;
    }
    if (!made[n]) {
        made[n] = true;
        numbers.push_back(n);
    }
    const size_t g = number * word / granule, words = valid_bytes[g] / word;
    mark *const marks = global_shadow.write + g * granule / word;
    const uint32_t *const content = reinterpret_cast<const uint32_t *>(global_arena.low + g * granule), fresh = fresh_word();
    uint8_t &left = fresh_words[g];
    if (!left) {
        left = uint8_t(1 + std::count(content, content + words, fresh));
        if (left == 1 && valid_bytes[g] == granule) return granules[g] = armed, true;
        for (size_t i = 0; i < words; i++)
            if (!marks[i] && content[i] != fresh) marks[i] = armed;
    }
    const size_t i = number - g * granule / word;
    if (i >= words || marks[i] || (!write && content[i] == fresh)) return true;
    marks[i] = armed;
    if (--left == 1 && valid_bytes[g] == granule) granules[g] = quick.mine;  // some of it was written now, perhaps
    return true;
}

void disarm(size_t at, size_t bytes) {
    for (size_t end = std::min(up(at + bytes, granule), covered); at < end;) {
        const size_t n = at / chunk, part = std::min(end, (n + 1) * chunk) - at;
        if (made[n]) {
            std::fill_n(granules + at / granule, part / granule, mark(0));
            std::fill_n(fresh_words + at / granule, part / granule, uint8_t(0));
            if (part == chunk) forget(global_shadow, at / word, words_per_chunk);
            else std::fill_n(global_shadow.write + at / word, part / word, mark(0));
        }
        at += part;
    }
}

bool find_program_variable(size_t n) {
    const char *p = variables.low + n * word;
    const image_variable *v = nullptr;
    // The first variable in this word: four of one byte each may lie there.
    for (unsigned i = 0; i < word && !v; i++) v = image_variable_at(p + i);
    program_variable[n] = !v || v->own ? 2 : is_constant(p, word) ? of_constant : 1;
    return program_variable[n] != 2;
}

}  // namespace check
}  // namespace smux_cpu
