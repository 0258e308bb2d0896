// Where the checker's cells lie. Address space for them is reserved at the start; pages come when they are touched.
// The cells of device memory come in chunks out of a pool with a limit, and all go when it runs low, between
// launches: what earlier launches did is of no interest.
#include <sys/mman.h>

#include <cstring>
#include <vector>

#include "check_race.h"
#include "image.h"
#include "memory.h"

namespace smux_cpu {
namespace check {

cell *shared_cells, *variable_cells, **global_chunks;
arena variables;
long long unchecked_launches;

namespace {

constexpr size_t cells_per_chunk = chunk / word;
constexpr size_t pool_bytes = size_t(2) << 30;
constexpr size_t pool_chunks = pool_bytes / (cells_per_chunk * sizeof(cell));
cell *pool;
size_t used;
std::vector<size_t> numbers;  // of the chunks in use
bool exhausted;

void forget_chunks() {
    exhausted = false;
    for (size_t n : numbers) global_chunks[n] = nullptr;
    numbers.clear();
    used = 0;
    madvise(pool, pool_bytes, MADV_DONTNEED);
}

void forget(void *p, size_t bytes) {
    if (p) madvise(p, bytes, MADV_DONTNEED);
}

}  // namespace

uint8_t *program_variable;

void *reserve_shadow(size_t bytes) {
    void *p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? nullptr : p;
}

void reserve_cells() {
    size_t device = size_t(global_arena.high - global_arena.low);
    global_chunks = static_cast<cell **>(reserve_shadow(device / chunk * sizeof(cell *)));
    pool = static_cast<cell *>(reserve_shadow(pool_bytes));
#ifdef MADV_HUGEPAGE
    if (pool) madvise(pool, pool_bytes, MADV_HUGEPAGE);  // chunks are taken one after the other
#endif
    variables = image_variables();
    size_t own = size_t(variables.high - variables.low);
    variable_cells = static_cast<cell *>(reserve_shadow((own / word + 2) * sizeof(cell)));
    program_variable = static_cast<uint8_t *>(reserve_shadow(own / word + 2));
    if (!global_chunks || !pool || !variable_cells || !program_variable)
        smux_cpu_not_supported("no address space for the race check");
}

void reserve_shared_cells() {
    if (shared_cells || !shared_arena.low) return;
    size_t words = size_t(shared_arena.high - shared_arena.low) / word;
    shared_cells = static_cast<cell *>(reserve_shadow((words + 2) * sizeof(cell)));
    if (!shared_cells) smux_cpu_not_supported("no address space for the race check");
}

// Between launches.
void renew_chunks() {
    if (exhausted) unchecked_launches++;
    if (exhausted || used >= pool_chunks / 2) forget_chunks();
}

void forget_cells() {
    forget_chunks();
    size_t shared = size_t(shared_arena.high - shared_arena.low);
    forget(shared_cells, shared / word * sizeof(cell));
    forget(variable_cells, size_t(variables.high - variables.low) / word * sizeof(cell));
}

cell *make_chunk(size_t number) {
    if (used == pool_chunks) {
        exhausted = true;
        return nullptr;
    }
    cell *c = pool + used++ * cells_per_chunk;
    numbers.push_back(number);
    return global_chunks[number] = c;
}

bool find_program_variable(size_t n) {
    const char *p = variables.low + n * word;
    const image_variable *v = nullptr;
    // The first variable in this word: four of one byte each may lie there.
    for (unsigned i = 0; i < word && !v; i++) v = image_variable_at(p + i);
    program_variable[n] = v && !v->own ? 1 : 2;
    return program_variable[n] == 1;
}

}  // namespace check
}  // namespace smux_cpu
