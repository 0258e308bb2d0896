// Inside the runtime: what the engine (fibers, barriers, warps, launches) and the checker (races,
// bounds, uninitialised reads, regions) know of each other. Not seen by translated programs.
#pragma once
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>

#include "smux_cpu/abi.h"

namespace smux_cpu {

// A lock of the runtime's own: it orders nothing in the program (host_threads.cc).
extern __thread unsigned unseen_locks;
extern bool host_makes_threads;  // the program has called pthread_create
template <class Mutex> struct own : Mutex {
    void lock() { unseen_locks++, Mutex::lock(), unseen_locks--; }
    void unlock() { unseen_locks++, Mutex::unlock(), unseen_locks--; }
};
typedef own<std::mutex> own_mutex;
// While it lives no kernel of another thread runs; but not for ever, since that may wait for this thread.
class turn {
public:
    turn();
    ~turn();

private:
    bool mine_;
};

// ---- what the engine tells of the thread that runs (engine -> everyone)
struct running {
    unsigned rank;        // linear index in the block
    unsigned block;       // linear index of the block in the grid
    unsigned block_size;  // threads per block
    unsigned launch;      // number of the launch, from 1
    const char *kernel;   // as written at the launch; null in host code
};
extern running now;
// What has run so far, for the last line of the report.
struct totals { long long launches, blocks, threads, switches; };
extern totals total;
// That one more kernel was launched, and what ran of each, as JSON for the last line of the report.
void count_launch(const char *kernel, unsigned long long blocks, unsigned threads);
std::string launched_kernels();
uint3 thread_of(unsigned rank);              // threadIdx of a rank in the running launch
uint3 block_of(unsigned linear);             // blockIdx of a linear block index
// The call stack of the running thread, innermost first, as program counters relative to the executable's base.
int backtrace(uintptr_t *pcs, int most);
uintptr_t relative_pc(const void *return_address);  // ... of one return address: inside the call
bool on_fiber_stack(const void *p);
// Lets another thread run if there is one; used by the checker for volatile spinning.
void maybe_yield();
bool in_waiting_loop();  // is this volatile read one of the first after smux_cpu_spin?

// ---- what the engine tells the checker (check_*.cc). All are no-ops unless the program was compiled with
// the access hooks (the "checked" build). Ranks are those of the running block.
namespace check {
extern bool on;                               // from __tsan_init on: the program was compiled with the hooks
void thread_runs();                           // now.rank is another one
void program_begin();                         // before the first launch; memory may have been allocated already
void launch_begin(const void *stream);        // all blocks of one launch
void launch_end();
void block_begin(unsigned threads);           // before its first thread runs
void block_end();                             // after its last one: canaries
// A thread passes a named barrier without waiting (bar.arrive). What it did up to now becomes known to those
// who wait there, what it does from now on does not: so this is called at the arrival, long before the barrier
// completes, and returns a ticket that stands for this moment. Tickets left at the end of a block are void.
unsigned arrive(unsigned rank);
// Threads meet: `waiters` (ranks) learn what all of them did; `arrivers` (tickets of arrive, each used once) only tell.
// A barrier of the block counts on threads that have left as well; those of some threads, and warp operations, don't.
enum class meeting { of_block, of_some, of_warp };
void meet(const unsigned *waiters, size_t waiting, const unsigned *arrivers, size_t arriving, meeting how);
void grid_meet();                             // all threads of all blocks of a cooperative launch
// A block of a cooperative launch is set aside at a grid barrier, or goes on. Between the two, others run.
void block_suspend(unsigned block);
void block_resume(unsigned block, unsigned threads);
void thread_exit(unsigned rank);
void shared_entered(const shared_variable *v);  // its contents are now undefined
void atomic(const void *address, size_t bytes, char kind, int order, const void *pc);  // as smux_cpu_atomic has them
void host_atomic(const void *address, size_t bytes, bool write);
void allocated(void *p, size_t bytes, int kind);
void freed(void *p, size_t bytes);
void host_wrote(const void *p, size_t bytes);   // memcpy/memset into device memory by the host API
}  // namespace check

// ---- memory layout (memory.cc): one reservation, so that a check is a subtraction and a compare.
struct arena { char *low, *high; };
extern arena shared_arena, global_arena;
const shared_variable *shared_variable_at(const void *p);  // null between variables
// All shared variables, the dynamic array first (its size is that of the running launch). Between two of them lie at
// least 64 bytes that hold shared_fill(), as does a variable when it is entered; whatever else stands there was written
// out of bounds.
size_t shared_variables();
const shared_variable &shared_variable_number(size_t i);
unsigned char shared_fill();
constexpr size_t page = 65536;  // of any machine, at most
inline size_t up(size_t n, size_t to) { return (n + to - 1) / to * to; }

}  // namespace smux_cpu
