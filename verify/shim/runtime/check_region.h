// Inside the checker: the direct test of smux's region analysis. While virtual thread blocks (v-TBs) take turns with
// one set of shared arrays, nothing may be handed from one region to the next through them: others overwrite it.
//
// Bytes that only one v-TB of the block touches are its own business (split arrays have such rows), so findings on a
// byte wait until another v-TB touches it. Blocks with a single v-TB are not looked at.
#pragma once
#include <cstdint>

#include "check.h"

namespace smux_cpu {
namespace check {

extern bool regions_matter;  // the running block has several v-TBs
void forget_regions();
void begin_region_block(unsigned threads);
void region_access(const void *p, size_t bytes, manner how, uint32_t pc);

}  // namespace check
}  // namespace smux_cpu
