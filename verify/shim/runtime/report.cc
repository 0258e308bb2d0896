// The report: see report.h for its form.
#include "report.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>

#include "check.h"
#include "engine.h"
#include "explore.h"
#include "faults.h"
#include "memory.h"
#include "sums.h"

namespace smux_cpu {

namespace {

std::string quoted(const std::string &s) {
    std::string out = "\"";
    for (unsigned char c : s) {
        char code[8];
        switch (c) {
        case '"': out += "\\\""; break;
        case '\\': out += "\\\\"; break;
        case '\n': out += "\\n"; break;
        case '\t': out += "\\t"; break;
        default:
            if (c < 0x20 || c >= 0x80) {
                // Bytes beyond ASCII become the code points of Latin-1: never invalid JSON, whatever a name holds.
                snprintf(code, sizeof code, "\\u%04x", c);
                out += code;
            } else {
                out += char(c);
            }
        }
    }
    return out + "\"";
}

std::string three(uint3 v) {
    return "[" + std::to_string(v.x) + "," + std::to_string(v.y) + "," + std::to_string(v.z) + "]";
}

// The descriptor of the report file; -1 where there is none. Opened once, in append mode, so that a program that
// forks or is run twice with the same file loses nothing.
int report_file() {
    static const int file = [] {
        const char *path = getenv("SMUX_REPORT");
        if (!path || !*path) return -1;
        int f = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
        if (f < 0) fprintf(stderr, "smux: can't open the report file %s\n", path);
        return f;
    }();
    return file;
}

void put(int file, const std::string &line) {
    size_t done = 0;
    while (done < line.size()) {
        ssize_t n = ::write(file, line.data() + done, line.size() - done);
        if (n <= 0) return;
        done += size_t(n);
    }
}

// For people: the members without JSON's punctuation, `{"code":"race","kernel":"k"}` as "race, kernel k".
std::string in_words(const std::string &json) {
    std::string out;
    bool in_string = false;
    for (size_t i = 0; i < json.size(); i++) {
        char c = json[i];
        if (in_string && c == '\\' && i + 1 < json.size()) out += json[++i];
        else if (c == '"') in_string = !in_string;
        else if (in_string) out += c;
        else if (c == ':') out += ' ';
        else if (c == ',') out += i + 1 < json.size() && json[i + 1] == '"' ? ", " : ",";
        else if (c == '{') out += out.empty() ? "" : "(";
        else if (c == '}') out += i + 1 == json.size() ? "" : ")";
        else out += c;
    }
    return out.compare(0, 5, "code ") == 0 ? out.substr(5) : out;
}

}  // namespace

record::record(const char *code) {
    if (code) text("code", code);
}

record &record::array(const char *key, const std::string &json) {
    body_ += (body_.empty() ? "" : ",") + quoted(key) + ":" + json;
    return *this;
}

record &record::text(const char *key, const std::string &value) { return array(key, quoted(value)); }
record &record::number(const char *key, long long value) { return array(key, std::to_string(value)); }
record &record::flag(const char *key, bool value) { return array(key, value ? "true" : "false"); }
record &record::index(const char *key, uint3 value) { return array(key, three(value)); }
record &record::object(const char *key, const record &inner) { return array(key, inner.json()); }

record &record::pcs(const uintptr_t *pcs, int count) {
    std::string list = "[";
    for (int i = 0; i < count; i++) list += (i ? "," : "") + std::to_string(pcs[i]);
    return array("pcs", list + "]");
}

record &record::here() {
    if (now.kernel && smux_cpu_in_kernel) {
        text("kernel", now.kernel).number("launch", now.launch);
        index("block", block_of(now.block)).index("thread", thread_of(now.rank));
    } else {
        flag("host", true);
    }
    uintptr_t stack[64];
    int depth = backtrace(stack, 64);
    return pcs(stack, depth);
}

record record::ready_made(const std::string &json) {
    record r(nullptr);
    r.body_ = json.substr(1, json.size() - 2);
    return r;
}

std::string record::json() const { return "{" + body_ + "}"; }

void record::write() {
    static own_mutex one_line;
    std::lock_guard<own_mutex> mine(one_line);
    int file = report_file();
    if (file >= 0) put(file, json() + "\n");
    else put(STDERR_FILENO, "smux: " + in_words(json()) + "\n");
}

void record::fatal() {
    check::flush();
    write_held_fault();
    write();
    write_end(true);
    fflush(nullptr);
    _exit(exit_fatal);
}

// Of the branches that were reached, in one record.
static void write_reached() {
    std::string counts;
    for (const unsigned &n : smux_cpu_reached)
        if (n) counts += std::to_string(&n - smux_cpu_reached) + ' ' + std::to_string(n) + ' ';
    if (!counts.empty()) record("reached").text("text", counts).write();
}

void write_end(bool fatal) {
    static bool written;
    if (written) return;
    written = true;
    if (measuring_extents()) report_extents();
    write_trace();
    if (report_file() < 0) return;  // nobody waits for it
    write_reached();
    record end("end");
    end.flag("fatal", fatal).number("launches", total.launches).number("blocks", total.blocks);
    end.number("threads", total.threads).number("switches", total.switches).flag("checked", check::on);
    end.array("kernels", launched_kernels());
    if (summed) end.flag("sums", true);
    if (check::unchecked_launches) end.number("unchecked", check::unchecked_launches);
    end.write();
}

namespace {

// Registered before main, so it runs after what the program itself registers.
struct at_exit {
    at_exit() {
        report_file();
        atexit([] {
            check::program_end();
            write_end(false);
        });
    }
} at_exit_;

}  // namespace
}  // namespace smux_cpu

using namespace smux_cpu;

unsigned smux_cpu_reached[1 << 18];

void smux_cpu_reach(unsigned id) { ++smux_cpu_reached[id]; }

void smux_cpu_not_supported(const char *name) {
    record r("not-supported");
    r.text("name", name).here().fatal();
}

#ifdef __ELF__
// What g++ calls at a __builtin_unreachable() that is reached, see noReturn of package build.
extern "C" void smux_cpu_unreachable(const void *) __asm__("__ubsan_handle_builtin_unreachable");
void smux_cpu_unreachable(const void *) { __builtin_trap(); }
#endif

void smux_cpu_needs_library(const char *why) { record("needs-library").text("name", why).here().fatal(); }

void smux_cpu_not_modelled(const char *what) {
    static auto *told = new std::set<std::string>;
    static own_mutex telling;
    std::lock_guard<own_mutex> mine(telling);
    if (told->insert(what).second) record("not-modelled").text("name", what).here().write();
}

void smux_cpu_unwritten(const char *name, size_t element) {
    record r("unwritten");
    r.here().text("variable", name).number("offset", (long long)element).write();
}

void smux_cpu_trap(const char *what) {
    record r("trap");
    r.here().text("text", what).fatal();
}
