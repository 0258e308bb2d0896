// A C program that follows on the host what its directives of OpenACC say of values: package acc writes the calls. Memory that begins
// as zeros is kept apart, as on a device, and takes the place of the host's while a compute construct runs. All other memory is
// the host's: what a device has and no clause brings back is then seen as a difference.
#include <algorithm>
#include <cstring>
#include <deque>
#include <vector>

#include "engine.h"
#include "explore_state.h"
#include "smux_cpu/abi.h"

using namespace smux_cpu;

namespace {

struct memory {
    char *host;
    size_t bytes;
    std::vector<char> device;  // none where it is the host's
    int kind;                  // of its elements, as note has it
    int regions = 1;
    bool on = false;  // it stands in the host's place, whose values are in `device` meanwhile

    bool has(const void *p) const { return regions > 0 && host <= p && p < host + bytes; }
    char *at(const void *p) { return (device.empty() ? host : device.data()) + (static_cast<const char *>(p) - host); }
};

// Never freed: the program's own exit handlers may run regions.
std::deque<memory> &all() {
    static auto &of_the_program = *new std::deque<memory>;
    return of_the_program;
}

memory *find(const void *host) {
    for (memory &m : all())
        if (m.has(host)) return &m;
    return nullptr;
}

// The kind of elements that a call names is one more than that of the log; 1 is for what is not noted.
void note(const void *host, size_t bytes, int kind) {
    if (kind > 1) note_result(host, bytes, element(kind - 1));
}

}  // namespace

extern "C" {

void *smux_acc_find(const void *host) {
    memory *m = find(host);
    return m ? m->at(host) : nullptr;
}

void *smux_acc_enter(const void *host, unsigned long bytes, int zero, int kind) {
    if (memory *m = find(host))
        m->regions++;
    else if (host && bytes)
        all().push_back({const_cast<char *>(static_cast<const char *>(host)), bytes, std::vector<char>(zero ? bytes : 0), kind});
    return smux_acc_find(host);
}

void smux_acc_leave(const void *host, int out, int last) {
    memory *m = find(host);
    if (!m) return;
    m->regions = last ? 0 : m->regions - 1;
    if (m->regions > 0) return;
    if (out) {
        memmove(m->host, m->at(m->host), m->bytes);
        note(m->host, m->bytes, m->kind);
    }
    std::vector<char>().swap(m->device);
}

void smux_acc_copy(void *to, const void *from, unsigned long bytes, int to_host) {
    memory *m = find(to_host ? to : from);
    if (!m) return;
    memmove(to, from, bytes);
    if (to_host) note(to, bytes, m->kind);
}

// The device's memory of what a construct uses takes the host's place; without a list the host's is back.
void smux_acc_turn(const void *const *used, int number) {
    for (memory &m : all()) {
        bool turns = !used && m.on;
        for (int i = 0; used && i < number; i++) turns |= m.has(used[i]);
        if (!turns || m.device.empty()) continue;
        std::swap_ranges(m.device.begin(), m.device.end(), m.host);
        m.on = !m.on;
    }
}

void smux_acc_note(const void *host, unsigned long bytes, int kind) {
    if (!find(host)) note(host, bytes, kind);
}

}  // extern "C"
