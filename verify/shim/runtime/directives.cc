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

void *smux_acc_enter(const void *host, unsigned long bytes, int zero) {
    if (memory *m = find(host)) {
        m->regions++;
        return m;
    }
    if (!host || !bytes) return nullptr;
    char *from = const_cast<char *>(static_cast<const char *>(host));
    all().push_back({from, zero ? std::vector<char>(bytes) : std::vector<char>(from, from + bytes)});
    return &all().back();
}

void *smux_acc_find(const void *host) { return find(host); }

void smux_acc_leave(void *entered, int out, int last) {
    memory *m = static_cast<memory *>(entered);
    if (!m || m->regions == 0) return;
    m->regions = last ? 0 : m->regions - 1;
    if (m->regions > 0) return;
    if (out) {
        memcpy(m->host, m->device.data(), m->device.size());
        note(m->host, m->device.size(), out);
    }
    std::vector<char>().swap(m->device);
}

void smux_acc_update(const void *host, unsigned long bytes, int to_device, int kind) {
    memory *m = find(host);
    if (!m) return;
    char *here = const_cast<char *>(static_cast<const char *>(host)), *there = m->device.data() + (here - m->host);
    bytes = std::min<size_t>(bytes, m->host + m->device.size() - here);
    if (to_device) {
        memcpy(there, here, bytes);
    } else {
        memcpy(here, there, bytes);
        note(here, bytes, kind);
    }
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
