
// The device memory that the program has, for a check: each launch that is checked begins with what was there
// before the first one, and all memory is logged behind it. So a kernel that leaves out what an earlier launch
// did already, or that changes its input, differs from the original.
namespace smux_launch {

struct Memory {
    void *device;      // null for a variable whose address was not yet asked for
    size_t count;      // bytes
    uint32_t element;
    const void *symbol;  // of a variable, null for an allocation
    bool host;         // memory of the host that launches write
    char *before;      // what it held before the first launch, null until then
    uint64_t hash;     // of that
    bool seen;         // a launch was logged since then
    char *stale;       // what that launch wrote, misplaced; null where that is nothing else
    Memory *next;      // in the order in which they were made
};

struct Checked {
    Memory *first, **last;
    uint64_t launches, snapshots;
    char *scratch;
    size_t room;    // bytes of scratch
    bool given_up;  // there is not enough memory for it
};

inline Checked &checked() {
    static Checked all = {nullptr, &all.first, 0, 0, nullptr, 0, false};
    return all;
}

inline void remember(void *device, const void *symbol, size_t count, uint32_t element) {
    Lock lock;
    Memory *m = (Memory *)calloc(1, sizeof(Memory));
    if (!m) return;
    m->device = device;
    m->symbol = symbol;
    m->count = count;
    m->element = element;
    *checked().last = m;
    checked().last = &m->next;
}

// Memory of the host in which kernels leave results: it is logged, and not put back, for the host may not have read
// yet what an earlier launch has left.
inline void mapped(void *host, size_t count, uint32_t element) {
    if (!environment().check || !host || count == 0) return;
    Lock lock;
    remember(host, nullptr, count, element);
    for (Memory *m = checked().first; m; m = m->next)
        if (m->device == host) m->host = true;
}

// Ends a check for which the CUDA runtime or the machine has not enough; the program doesn't see the error.
inline bool give_up(const char *why) {
    if (!checked().given_up) say("unchecked ", why);
    checked().given_up = true;
    (void)cudaGetLastError();
    return false;
}

// What fresh memory holds is not the same in each run: it is given a content, as the CPU engine of smux verify
// does.
inline void allocated(void *device, size_t count, uint32_t element, int content = 0xa5) {
    if (!environment().check || !device || count == 0) return;
    if (cudaMemset(device, content, count) != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess) {
        give_up("fresh memory can't be filled");
        return;
    }
    remember(device, nullptr, count, element);
}

inline void drop_content(Memory *m) {
    if (m->before) checked().snapshots -= m->count;
    if (m->stale) checked().snapshots -= m->count;
    free(m->before);
    free(m->stale);
    m->before = m->stale = nullptr;
}

inline void freed(const void *device) {
    if (!environment().check || !device) return;
    Lock lock;
    for (Memory **at = &checked().first; *at; at = &(*at)->next) {
        Memory *m = *at;
        if (m->device != device || m->symbol) continue;
        *at = m->next;
        if (checked().last == &m->next) checked().last = at;
        drop_content(m);
        free(m);
        return;
    }
}

// The device is reset: no memory is left, and variables are as they were when the program began.
inline void forget() {
    Lock lock;
    Checked &c = checked();
    for (Memory **at = &c.first; *at;) {
        Memory *m = *at;
        drop_content(m);
        if (m->symbol) {
            m->device = nullptr;
            at = &m->next;
        } else {
            *at = m->next;
            free(m);
        }
        c.last = at;
    }
}

// Programs allocate by (void **)&p, and only their copies tell what p points to.
inline void holds(const void *device, uint32_t element) {
    if (!environment().check || element == bytes) return;
    Lock lock;
    for (Memory *m = checked().first; m; m = m->next)
        if (m->device == device && m->element == bytes) m->element = element;
}

inline bool find_variable(Memory *m) {
    if (!m->device && cudaGetSymbolAddress(&m->device, *(const char *)m->symbol) != cudaSuccess) {
        m->device = nullptr;
        (void)cudaGetLastError();
    }
    return m->device;
}

inline bool fetch(char *to, const Memory *m) {
    if (m->host) {
        memcpy(to, m->device, m->count);
        return true;
    }
    return cudaMemcpy(to, m->device, m->count, cudaMemcpyDeviceToHost) == cudaSuccess;
}

inline bool snapshot(Memory *m) {
    Checked &c = checked();
    if (c.snapshots + m->count > environment().snapshots) return false;
    if (m->count > c.room) {
        char *more = (char *)realloc(c.scratch, m->count);
        if (!more) return false;
        c.scratch = more;
        c.room = m->count;
    }
    m->before = (char *)malloc(m->count);
    if (!m->before) return false;
    if (!fetch(m->before, m)) {
        free(m->before);
        m->before = nullptr;
        return false;
    }
    c.snapshots += m->count;
    m->hash = fnv1a(m->before, m->count);
    return true;
}

// Keeps what the first launch that was logged wrote, misplaced. Without the memory for it, or where that is nothing
// else, later launches begin as the first one did.
inline void keep_stale(Memory *m, const char *after) {
    Checked &c = checked();
    if (m->seen || environment().check < 2) return;
    m->seen = true;
    if (c.snapshots + m->count > environment().snapshots) return;
    m->stale = (char *)malloc(m->count);
    if (m->stale && misplace(m->stale, m->before, after, m->count, m->element)) {
        c.snapshots += m->count;
        return;
    }
    free(m->stale);
    m->stale = nullptr;
}

// A program that launches until the memory says that it is done would go on for ever if each launch began anew:
// so the first launches are checked, and then those whose number is a power of two.
inline bool is_checked(uint64_t launch) { return launch <= 16 || (launch & (launch - 1)) == 0; }

// Before a launch, with no error pending. Returns whether the memory is to be logged behind it.
inline bool restore() {
    Checked &c = checked();
    if (!environment().check || c.given_up || cudaDeviceSynchronize() != cudaSuccess) return false;
    const bool anew = is_checked(++c.launches);
    Lock lock;
    for (Memory *m = c.first; m; m = m->next) {
        if (!find_variable(m)) continue;
        if (!m->before) {
            if (snapshot(m)) continue;
            return give_up("there is not enough host memory to keep the device's");
        }
        const char *content = m->stale && c.launches % 2 == 0 ? m->stale : m->before;
        if (anew && !m->host && cudaMemcpy(m->device, content, m->count, cudaMemcpyHostToDevice) != cudaSuccess)
            return give_up("the device's memory can't be put back");
    }
    return anew && cudaDeviceSynchronize() == cudaSuccess;
}

// Behind a launch. What is as it was before is not stored once more.
inline void log_all() {
    Checked &c = checked();
    if (!is_logging() || cudaDeviceSynchronize() != cudaSuccess) return;
    Lock lock;
    for (Memory *m = c.first; m; m = m->next) {
        if (!m->before || m->element == pointer) continue;
        if (!fetch(c.scratch, m)) return;  // the launch failed
        if (memcmp(c.scratch, m->before, m->count) == 0)
            record(behind_a_launch, c.scratch, m->count, m->element, m->hash, true);
        else
            log_memory(behind_a_launch, c.scratch, m->count, m->element);
        if (!m->symbol && !m->host) keep_stale(m, c.scratch);
    }
}

// A variable of the device, which a unit has one of for each that it names.
struct Variable {
    template <class T> explicit Variable(const T &symbol) {
        if (environment().check) remember(nullptr, (const void *)&symbol, sizeof(T), (uint32_t)Element<T>::code);
    }
};

}  // namespace smux_launch
