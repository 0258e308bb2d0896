// Inside the runtime: the report file, one JSON object per line, named by SMUX_REPORT (stderr in plain
// words where it is not set). Program counters are relative to the executable's base; the reader finds
// their source lines by the debug information.
//
//   {"code":"race","kernel":"k","launch":3,"block":[0,0,0],"thread":[5,0,0],"pcs":[4711,...],"write":true,
//    "atomic":false,"space":"shared","variable":"tile","file":"a.cu","line":7,"offset":128,"bytes":4,
//    "other":{"block":[0,0,0],"thread":[4,0,0],"pcs":[4712],"write":true,"atomic":false,"volatile":false},
//    "text":"..."}                                  text: what is special, in words; may be missing
//   "operation":"kernel k" in "other" of a stream-race, instead of block and thread
//   "same":true in a race: both wrote the value that was there, in all its occurrences
//   "allocated":{"pcs":[...]} in out-of-bounds: where the allocation was made; "other" in canary is the same
//   "other" in in-flight: the copy that is under way
//   "sanitizer":"stack-buffer-overflow" in out-of-bounds: what AddressSanitizer calls it
//   "host":true instead of kernel, launch, block and thread: found while host code ran
//   codes of findings: race, volatile-race, stream-race, in-flight, deadlock, barrier-divergence, warp-divergence, bad-barrier, out-of-bounds, canary,
//     uninitialised, constant-write, region-earlier (written in an earlier region), region-other (written by another v-TB),
//     region-outside (accessed outside a region), illegal-address, misaligned,
//     unwritten (an element of a result, by its number in "offset"; without a variable, a copy to the host), integer-overflow (of a signed type, anywhere in a kernel), division-by-zero, spin, trap, stack-overflow, launch-error
//   deadlock, barrier-divergence, warp-divergence and spin carry
//    "waiters":[{"what":"barrier 0 (64 of 96)","threads":31,"block":[..],"thread":[..first..],"pcs":[..]}, ...]
//   {"code":"extent","offset":2,"bytes":256}  of a run that measures extents: the third allocation was accessed up to there
//   {"code":"reached","text":"4711 64 815 1 "}  the branches that were reached, by number, and how often
//   {"code":"not-supported","name":"cudaFoo","pcs":[...]}
//   {"code":"needs-library","name":"...","pcs":[...]}   as a sentence
//   {"code":"not-modelled","name":"...","pcs":[...]}     each name once
//   {"code":"crash","signal":11,"host":true,"pcs":[...]}   a signal in host code
//   {"code":"end","fatal":false,"launches":2,"blocks":6,"threads":384,"switches":1000,"checked":true}
//     the last line, if the program got that far (exit, return from main, or a fatal finding); may have
//     (launches is 0 for those that stand between #if and #endif and were compiled)
//     "kernels":[{"name":"k<int>","launches":2,"blocks":6,"threads":512,"pcs":[...]}]: by the names at the launches, as written
//     there; threads are those of the largest block, pcs where it was launched, if it has more than any kernel can have
//     "unchecked":n, launches that touched so much memory that races on a part of it went unseen
//
// A fatal finding flushes stdio and ends the process with status 97.
#pragma once
#include <cstdint>
#include <string>

#include "smux_cpu/abi.h"

namespace smux_cpu {

constexpr int exit_fatal = 97;

// One JSON object under construction. Members come out in the order of the calls.
class record {
public:
    explicit record(const char *code);
    static record ready_made(const std::string &json);       // of what json() returned earlier
    record &text(const char *key, const std::string &value);
    record &number(const char *key, long long value);
    record &flag(const char *key, bool value);
    record &index(const char *key, uint3 value);             // [x,y,z]
    record &pcs(const uintptr_t *pcs, int count);
    record &here();                                          // kernel, launch, block, thread, pcs of the running thread
    record &object(const char *key, const record &inner);    // nested; inner made by record(nullptr)
    record &array(const char *key, const std::string &json); // ready-made JSON
    std::string json() const;
    void write();                                            // one line, flushed
    [[noreturn]] void fatal();                               // write, the end line, flush stdio, _exit(exit_fatal)
private:
    std::string body_;
};

void write_end(bool fatal);

}  // namespace smux_cpu
