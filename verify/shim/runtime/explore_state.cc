#include "explore_state.h"

#include <cstring>

#include "image.h"
#include "memory.h"

namespace smux_cpu {

uint64_t fingerprint(const char *p, size_t bytes) {
    uint64_t h = bytes, word;
    size_t i = 0;
    for (; i + 8 <= bytes; i += 8) {
        memcpy(&word, p + i, 8);
        h = (h ^ word) * 0x9e3779b97f4a7c15u;
        h ^= h >> 29;
    }
    for (; i < bytes; i++) h = (h ^ (unsigned char)p[i]) * 0x100000001b3u;
    return h;
}

uint64_t state_of_memory() {
    uint64_t h = copied_so_far();
    auto add = [&h](const char *p, size_t bytes) { h = (h ^ fingerprint(p, bytes)) * 0x9e3779b97f4a7c15u, h ^= h >> 31; };
    each_allocation([&](allocation &a) { add(a.base, a.bytes); });
    const arena all = image_variables();
    for (const char *p = all.low; p < all.high;) {
        const image_variable *v = image_variable_at(p);
        if (v && !v->own) add(v->base, v->bytes);
        p = v ? v->base + v->bytes : p + 1;
    }
    return h;
}

}  // namespace smux_cpu
