// Inside the checker: order by atomics.
//
// An atomic access to a word learns what all earlier writing ones to that word told, and a writing one tells what its
// thread did and knows: as if each were acquire and release. CUDA's are neither without a fence; so a missing
// __threadfence is not found, but no lock, ticket or flag raises an alarm. Volatile accesses to device memory count
// as such, too, since flags are often spelt so. Between blocks knowledge is coarser than inside one: what one
// thread of a block learns of other blocks counts as known to all of them.
#pragma once
#include <cstdint>

namespace smux_cpu {
namespace check {

void begin_sync();  // a new launch, or all blocks have met: nothing before matters
void strong_access(const void *address, bool writes, bool between_blocks);
// Has the running block heard, directly or through others, of what thread `rank` of another block did?
bool heard_of(uint32_t stamp, unsigned rank, uint32_t tick);

}  // namespace check
}  // namespace smux_cpu
