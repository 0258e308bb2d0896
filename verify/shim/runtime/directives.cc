// A C program that follows on the host what its directives of OpenACC say of values: package acc writes the calls. What a clause
// names has memory of its own, as on a device, which takes the place of the host's while a compute construct runs.
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
    std::vector<char> device;
    int kind;  // of its elements, as note has it
    int regions = 1;
    bool on = false;  // it stands in the host's place, whose values are in `device` meanwhile
};

// Never freed: the program's own exit handlers may run regions.
std::deque<memory> &all() {
    static auto &of_the_program = *new std::deque<memory>;
    return of_the_program;
}

memory *find(const void *host) {
    for (memory &m : all())
        if (m.regions > 0 && m.host <= host && host < m.host + m.device.size()) return &m;
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
    return m ? m->device.data() + (static_cast<const char *>(host) - m->host) : nullptr;
}

void *smux_acc_enter(const void *host, unsigned long bytes, int zero, int kind) {
    if (memory *m = find(host)) {
        m->regions++;
    } else if (host && bytes) {
        char *from = const_cast<char *>(static_cast<const char *>(host));
        all().push_back({from, zero ? std::vector<char>(bytes) : std::vector<char>(from, from + bytes), kind});
    }
    return smux_acc_find(host);
}

void smux_acc_leave(const void *host, int out, int last) {
    memory *m = find(host);
    if (!m) return;
    m->regions = last ? 0 : m->regions - 1;
    if (m->regions > 0) return;
    if (out) {
        memcpy(m->host, m->device.data(), m->device.size());
        note(m->host, m->device.size(), m->kind);
    }
    std::vector<char>().swap(m->device);
}

void smux_acc_copy(void *to, const void *from, unsigned long bytes, int to_host) {
    memory *m = find(to_host ? to : from);
    if (!m) return;
    memcpy(to, from, bytes);
    if (to_host) note(to, bytes, m->kind);
}

// The device's memory of what a construct uses takes the host's place; without a list the host's is back.
void smux_acc_turn(const void *const *used, int number) {
    for (memory &m : all()) {
        bool turns = !used && m.on;
        for (int i = 0; used && i < number && m.regions > 0; i++) turns |= m.host <= used[i] && used[i] < m.host + m.device.size();
        if (!turns) continue;
        std::swap_ranges(m.device.begin(), m.device.end(), m.host);
        m.on = !m.on;
    }
}

void smux_acc_note(const void *host, unsigned long bytes, int kind) {
    if (!find(host)) note(host, bytes, kind);
}

}  // extern "C"
