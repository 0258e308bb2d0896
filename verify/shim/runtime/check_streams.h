// Inside the checker: what the host orders. Work in streams is done when it is given, in the order of the calls; but it is
// known which operations (launches, copies, fills) CUDA orders: those of one stream, by events, by what the host has
// waited for, and by the legacy default stream, which waits for all blocking ones as they do for it. An access in a race with
// one of an operation that is not ordered with it, or of the host before it has waited, is a finding (stream-race).
//
// What the host has waited for, each of its threads knows for itself, until it tells others: by a mutex, an atomic or volatile word,
// or its end. What kernels have told it by a word that it read comes to that (check_sync.h).
//
// Not looked at: what host threads do to each other.
#pragma once
#include <cstddef>
#include <functional>
#include <vector>

#include "check.h"
#include "check_quick.h"

namespace smux_cpu {
namespace check {

// How many operations of each queue are known to be done.
typedef std::vector<unsigned> operations_done;

unsigned new_queue(bool blocking);
constexpr unsigned legacy_queue = 0;
unsigned thread_queue();  // of cudaStreamPerThread: each thread of the host has its own

// An operation begins: what marks tell from here on is its. `what`, such as "kernel k", stays where it is.
// True: all before it are done.
bool begin_operation(unsigned queue, const char *what, bool launch);
// It touches bytes of device memory: a race is found, and the access is remembered where others may be in one with it.
void operation_access(const void *p, size_t bytes, bool write, bool remember);
// An operation that makes memory. Who uses it must come after that; asked for where it is touched first.
void made_in(unsigned queue, void *p);
extern bool memory_is_new;  // some was made by what is not ordered with the running operation, perhaps
void check_made(const void *p, size_t bytes, bool write);
// There are streams besides the default one.
extern bool several_queues;
void forget_operations();  // times are to be used again

// The host waits for what is known of a queue, or was when an event was recorded; or for all queues.
operations_done done_by(unsigned queue);
void host_waits(const operations_done &all);
void host_waits_for_all();
// Work of a graph, in that queue, whatever it asks for; the host waits for none of it.
void all_in_queue(unsigned queue, const std::function<void()> &run);
unsigned queue_of_graph();  // of the work that is being done
operations_done known_to_next(unsigned queue);  // what its next operation comes after
// Host code that a stream runs: run is called as an operation of that queue.
void host_runs_in(unsigned queue, const std::function<void()> &run);
// What a queue does from here on comes after that.
void queue_waits(unsigned queue, const operations_done &all);
// Has the host not waited for some?
extern bool pending_operations;
// strong: atomic or volatile. In no race with such accesses of kernels are these, and reads; and a host that reads so what a
// kernel has written so hears what that told.
void host_access_while_pending(const void *p, size_t bytes, bool write, bool strong);

// Threads of the host. One is to be made: by whom it will be known. seen: all that orders it will be told.
void *host_thread_made(bool seen);
void host_thread_begins(void *made);
void host_thread_ends(const void *by);  // ... and whoever joins it learns by that
void host_thread_tells(const void *by);
void host_thread_learns(const void *by);

// Of a mark that is older than the running operation, but not ordered before all of it by its time alone.
bool operation_is_ordered(mark m);
record stream_race(mark other, bool other_writes, const void *p, size_t bytes, bool write, space where);

}  // namespace check

unsigned queue_of(const void *stream);  // of host_streams.cc: the legacy one where it is no stream
}  // namespace smux_cpu
