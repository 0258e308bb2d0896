// Copies to shared memory that are under way: asked for, and not waited for yet.
//
// A GPU makes such a copy at any moment between the call and the wait that covers it. Here it is made at the wait, the
// latest one: who reads too early finds what stood there before. For the checks it is read and written at both ends,
// at the call, since it may be made at once, and at the wait; and whoever touches its bytes in between is a finding.
//
// So it is with copies in bulk. Those to shared memory count at their barrier at once, and are made where the phase ends.
// Those to device memory are made at the wait for their group, which may be one for the reading alone.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace smux_cpu {

// Sixteen bytes of a copy, or fewer.
struct async_copy {
    char *to;
    const char *from;     // of the bytes behind `zeros` from the end; null: zeros alone
    uint8_t bytes, zeros;
    unsigned group;       // of the thread that asked
    unsigned rank;        // that thread
    const void *barrier;  // which it belongs to, null: its thread waits for it
    const void *site;     // return address of the call
};

// What a thread has asked for.
struct async_copies {
    std::vector<async_copy> open;  // in order
    unsigned groups = 0;           // that were committed
};

namespace check {
// Bytes of shared memory that copies are under way to.
extern size_t in_flight_bytes;
// A finding if one of these is.
void in_flight_access(const void *p, size_t bytes, bool write, uint32_t pc);
}  // namespace check

}  // namespace smux_cpu
