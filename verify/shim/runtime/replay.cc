// The program stops at a launch, and obeys commands on a pipe until it may go on (package tune/replay has the protocol):
// forms of the kernel, in libraries, are launched in the original's place, compared with it and timed.
#include "replay.h"

#include <dlfcn.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "memory.h"

namespace smux_cpu {

void **launched_arguments;
bool stopped;

namespace {

typedef void (*form_launch)(void **arguments, void *stream);

struct form {
    void *library;
    form_launch launch;
};

// What all device memory holds, by allocation.
typedef std::map<char *, std::vector<char>> contents;

contents save() {
    contents all;
    each_allocation([&](const allocation &a) { all[a.base].assign(a.base, a.base + a.bytes); });
    return all;
}

void restore(const contents &all) {
    for (const auto &entry : all) memcpy(entry.first, entry.second.data(), entry.second.size());
}

// Nanoseconds for which this thread, which runs the kernels, has had the processor: the C library's clocks are virtual here.
long long processor_time() {
    timespec t;
    syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * 1000000000ll + t.tv_nsec;
}

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

// The name of "lib::scale<float, 2>" without its namespaces and arguments.
std::string plain(const char *kernel) {
    std::string name(kernel, strcspn(kernel, "<"));
    const size_t colon = name.rfind(':');
    return colon == std::string::npos ? name : name.substr(colon + 1);
}

struct server {
    FILE *in, *out;
    const std::function<void()> &original;
    std::map<std::string, form> forms;
    contents before, after;
    bool steady = true, repeatable = true;

    __attribute__((format(printf, 2, 3))) void say(const char *format, ...) {
        va_list args;
        va_start(args, format);
        vfprintf(out, format, args);
        va_end(args);
        fputc('\n', out);
        fflush(out);
    }

    void learn() {
        before = save();
        original();
        after = save();
        restore(before);
        original();
        steady = save() == after;
        original();
        repeatable = save() == after;
    }

    size_t changed() const {
        size_t bytes = 0;
        for (const auto &entry : after) {
            const auto was = before.find(entry.first);
            if (was == before.end()) continue;
            for (size_t i = 0; i < entry.second.size() && i < was->second.size(); i++) bytes += entry.second[i] != was->second[i];
        }
        return bytes;
    }

    void load(const std::string &id, const char *file) {
        void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
        void *launch = library ? dlsym(library, "smux_replay_launch") : nullptr;
        if (!launch) return say("error %s", dlerror());
        forms[id] = {library, form_launch(launch)};
        say("ok");
    }

    // Where a launch of the form leaves other memory than the original's.
    void check(const form &f) {
        restore(before);
        f.launch(launched_arguments, nullptr);
        const contents got = save();
        if (got.size() != after.size()) return say("differs %zu allocations are there afterwards, after the original %zu", got.size(), after.size());
        size_t number = 0;
        for (const auto &entry : after) {
            const auto found = got.find(entry.first);
            if (found == got.end() || found->second.size() != entry.second.size()) return say("differs allocation %zu is another one", number);
            for (size_t i = 0; i < entry.second.size(); i++)
                if (found->second[i] != entry.second[i])
                    return say("differs allocation %zu: byte %zu is 0x%02x, after the original 0x%02x", number, i, (unsigned char)found->second[i],
                               (unsigned char)entry.second[i]);
            number++;
        }
        say("equal %zu", changed());
    }

    void time(const form &f, int runs) {
        std::string times;
        for (int i = -1; i < runs; i++) {
            if (!repeatable || i < 0) restore(before);
            const long long begin = processor_time();
            f.launch(launched_arguments, nullptr);
            const long long end = processor_time();
            if (i >= 0) times += " " + std::to_string(end - begin);
        }
        say("times%s", times.c_str());
    }

    void serve() {
        char *line = nullptr;
        size_t room = 0;
        for (ssize_t n; (n = getline(&line, &room, in)) > 0;) {
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
};

}  // namespace


bool replay(const config &c, const char *kernel, const std::function<void()> &original) {
    static asked_launch &a = *new asked_launch;
    if (stopped || a.left <= 0 || plain(kernel) != a.kernel || --a.left > 0) return false;
    stopped = true;
    server s{a.in, a.out, original, {}, {}, {}};
    s.learn();
    s.say("smux-replay 1 grid %u %u %u block %u %u %u shared %zu arguments %d steady %d repeatable %d changed %zu kernel %s", c.grid.x, c.grid.y, c.grid.z,
          c.block.x, c.block.y, c.block.z, c.shared, launched_arguments != nullptr, s.steady, s.repeatable, s.changed(), kernel);
    s.serve();
    restore(s.after);
    stopped = false;
    return true;
}

}  // namespace smux_cpu

// A form's launch sets its own; those of the original stay what they were.
void smux_cpu_arguments(void **arguments) {
    if (!smux_cpu::stopped) smux_cpu::launched_arguments = arguments;
}
