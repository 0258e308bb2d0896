// A program stops at a launch, and obeys commands on a pipe until it may go on (package tune/replay has the protocol):
// forms of the kernel, in libraries, are launched in the original's place, compared with it and timed.
//
// The CPU engine's runtime has this, and so have programs that nvcc builds. C++11.
#pragma once
#include <dlfcn.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>

namespace smux_replay {

// The launch that the program is at.
struct launch {
    unsigned grid[3], block[3];
    size_t shared;
    const char *kernel;
    void **arguments;  // null where they aren't known
    std::function<void()> original;  // makes it, and waits for it
};

// What a form's library has: it returns an error of the runtime.
typedef int (*form)(void **arguments, void *stream);

// The operations in which a GPU differs from the CPU engine.
struct device {
    virtual std::map<char *, size_t> live() = 0;    // all memory that is allocated, with its bytes
    virtual char *keep(size_t bytes) = 0;           // memory that is not in the list; null for none
    virtual void copy(char *to, const char *from, size_t bytes) = 0;
    virtual size_t differing(const char *a, const char *b, size_t bytes, size_t *first) = 0;  // bytes, and the first of them
    // Makes a form's launch and waits for it; returns the name of an error, "" for none.
    virtual std::string run(form f, void **arguments, double *nanoseconds) = 0;
};

// SMUX_REPLAY=IN,OUT,N,KERNEL: the descriptors of the pipes, and the N-th launch of which kernel is meant.
struct asked_launch {
    FILE *in = nullptr, *out = nullptr;
    long left = 0;
    std::string kernel;
    asked_launch() {
        const char *text = getenv("SMUX_REPLAY");
        int from = 0, to = 0, name = 0;
        if (!text || sscanf(text, "%d,%d,%ld,%n", &from, &to, &left, &name) < 3 || name == 0) return;
        kernel = text + name;
        in = fdopen(from, "r");
        out = fdopen(to, "w");
        unsetenv("SMUX_REPLAY");  // not for what the program starts
    }
};

inline asked_launch &asked() {
    static asked_launch &one = *new asked_launch;
    return one;
}

// Whether a launch of "lib::scale<float, 2>" is the one that is meant.
inline bool is_asked(const char *kernel) {
    std::string name(kernel, strcspn(kernel, "<"));
    const size_t colon = name.rfind(':');
    if (colon != std::string::npos) name.erase(0, colon + 1);
    return asked().left > 0 && name == asked().kernel && --asked().left == 0;
}

__attribute__((format(printf, 1, 2))) inline void say(const char *format, ...) {
    FILE *out = asked().out;
    va_list args;
    va_start(args, format);
    vfprintf(out, format, args);
    va_end(args);
    fputc('\n', out);
    fflush(out);
}

class server {
    struct kept {
        char *copy;
        size_t bytes;
    };
    typedef std::map<char *, kept> contents;  // what all memory holds, by allocation

    device &on;
    const launch &stopped;
    std::map<std::string, form> forms;
    contents before, after;
    bool steady = true, repeatable = true;
    size_t changed = 0;

    bool save(contents &all) {
        for (const auto &entry : on.live()) {
            const kept k = {on.keep(entry.second), entry.second};
            if (!k.copy) return false;
            on.copy(k.copy, entry.first, k.bytes);
            all[entry.first] = k;
        }
        return true;
    }

    void restore(const contents &all) {
        for (const auto &entry : all) on.copy(entry.first, entry.second.copy, entry.second.bytes);
    }

    // Where memory is not what the original leaves, "" for nowhere.
    std::string difference() {
        const std::map<char *, size_t> live = on.live();
        if (live.size() != after.size())
            return std::to_string(live.size()) + " allocations are there afterwards, after the original " + std::to_string(after.size());
        size_t number = 0;
        for (const auto &entry : after) {
            const auto found = live.find(entry.first);
            const std::string name = "allocation " + std::to_string(number++);
            if (found == live.end() || found->second != entry.second.bytes) return name + " is another one";
            size_t at = 0;
            if (on.differing(entry.first, entry.second.copy, entry.second.bytes, &at) == 0) continue;
            char is = 0, was = 0, text[99];
            on.copy(&is, entry.first + at, 1);
            on.copy(&was, entry.second.copy + at, 1);
            snprintf(text, sizeof text, ": byte %zu is 0x%02x, after the original 0x%02x", at, (unsigned char)is, (unsigned char)was);
            return name + text;
        }
        return "";
    }

    void load(const std::string &id, const char *file) {
        void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
        void *found = library ? dlsym(library, "smux_replay_launch") : nullptr;
        if (!found) return say("error %s", dlerror());
        forms[id] = form(found);
        say("ok");
    }

    void check(form f) {
        restore(before);
        double ns = 0;
        const std::string error = on.run(f, stopped.arguments, &ns);
        if (!error.empty()) return say("error %s", error.c_str());
        const std::string where = difference();
        if (!where.empty()) return say("differs %s", where.c_str());
        say("equal %zu", changed);
    }

    void time(form f, int runs) {
        std::string times;
        for (int i = -1; i < runs; i++) {
            if (!repeatable || i < 0) restore(before);
            double ns = 0;
            const std::string error = on.run(f, stopped.arguments, &ns);
            if (!error.empty()) return say("error %s", error.c_str());
            if (i >= 0) times += " " + std::to_string(ns);
        }
        const std::string where = difference();
        if (!where.empty()) return say("differs %s", where.c_str());
        say("times%s", times.c_str());
    }

    bool learn() {
        if (!save(before)) return false;
        stopped.original();
        if (!save(after)) return false;
        for (const auto &entry : after) {
            const auto was = before.find(entry.first);
            size_t first = 0;
            if (was != before.end() && was->second.bytes == entry.second.bytes) changed += on.differing(entry.second.copy, was->second.copy, entry.second.bytes, &first);
        }
        restore(before);
        stopped.original();
        steady = difference().empty();
        stopped.original();
        repeatable = difference().empty();
        return true;
    }

    void obey() {
        char *line = nullptr;
        size_t room = 0;
        for (ssize_t n; (n = getline(&line, &room, asked().in)) > 0;) {
            if (line[n - 1] == '\n') line[n - 1] = 0;
            char word[16] = "", id[64] = "";
            int rest = 0;
            sscanf(line, "%15s %63s %n", word, id, &rest);
            const std::string command = word;
            if (command == "go") break;
            if (command == "load") {
                load(id, line + rest);
                continue;
            }
            const auto f = forms.find(id);
            if (f == forms.end()) {
                say("error there is no form %s", id);
            } else if (command == "check") {
                check(f->second);
            } else if (command == "time") {
                time(f->second, atoi(line + rest));
            } else {
                say("error %s is no command", word);
            }
        }
        free(line);
    }

public:
    server(device &d, const launch &l) : on(d), stopped(l) {}

    // Returns with what the original leaves.
    void serve() {
        if (learn()) {
            const unsigned *g = stopped.grid, *b = stopped.block;
            say("smux-replay 1 grid %u %u %u block %u %u %u shared %zu arguments %d steady %d repeatable %d changed %zu kernel %s", g[0], g[1], g[2], b[0],
                b[1], b[2], stopped.shared, stopped.arguments != nullptr, steady, repeatable, changed, stopped.kernel);
            obey();
        } else {
            say("error there is no memory for a second copy of the device's");
        }
        restore(after);
    }
};

}  // namespace smux_replay
