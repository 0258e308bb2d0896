// Reads the executable's own symbol table, once, when it is first asked.
#include "image.h"

#include <cxxabi.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace smux_cpu {
namespace {

struct image_function {
    const char *base, *name;
};

struct loaded {
    uintptr_t bias = 0;
    arena writable = {};
    std::vector<image_variable> variables;  // by address
    std::vector<image_function> functions;
};

// Called for the executable first, then for the libraries, which are left out.
int find_segments(dl_phdr_info *info, size_t, void *data) {
    loaded &image = *static_cast<loaded *>(data);
    image.bias = info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const auto &segment = info->dlpi_phdr[i];
        if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_W)) continue;
        char *low = reinterpret_cast<char *>(info->dlpi_addr + segment.p_vaddr), *high = low + segment.p_memsz;
        if (!image.writable.low || low < image.writable.low) image.writable.low = low;
        if (high > image.writable.high) image.writable.high = high;
    }
    return 1;
}

// The variables of the shim's headers (their static locals, too) and of the C++ library's: written by code that
// is compiled with the program, but not the program's business.
bool is_own(const char *name) {
    return strstr(name, "smux_cpu") || !strncmp(name, "_ZSt", 4) || !strncmp(name, "_ZNSt", 5) ||
           !strncmp(name, "_ZGV", 4) || !strncmp(name, "_ZTV", 4) || !strcmp(name, "threadIdx") ||
           !strcmp(name, "blockIdx") || !strcmp(name, "blockDim") || !strcmp(name, "gridDim");
}

void read_symbols(loaded &image, const char *file, size_t bytes) {
    const auto *head = reinterpret_cast<const ElfW(Ehdr) *>(file);
    if (bytes < sizeof *head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0) return;
    if (head->e_shoff == 0 || head->e_shoff + size_t(head->e_shnum) * sizeof(ElfW(Shdr)) > bytes) return;
    const auto *sections = reinterpret_cast<const ElfW(Shdr) *>(file + head->e_shoff);
    for (unsigned s = 0; s < head->e_shnum; s++) {
        const auto &table = sections[s];
        if (table.sh_type != SHT_SYMTAB || table.sh_link >= head->e_shnum) continue;
        const auto &names = sections[table.sh_link];
        if (table.sh_offset + table.sh_size > bytes || names.sh_offset + names.sh_size > bytes) return;
        const auto *symbol = reinterpret_cast<const ElfW(Sym) *>(file + table.sh_offset);
        for (size_t n = table.sh_size / sizeof *symbol; n > 0; n--, symbol++) {
            const char *base = reinterpret_cast<const char *>(image.bias + symbol->st_value);
            const char *name = file + names.sh_offset + symbol->st_name;
            if ((symbol->st_info & 15) == STT_FUNC && symbol->st_value) image.functions.push_back({base, name});
            if ((symbol->st_info & 15) != STT_OBJECT) continue;
            if (symbol->st_size == 0 || base < image.writable.low || base >= image.writable.high) continue;
            image.variables.push_back({base, symbol->st_size, name, is_own(name)});
        }
    }
    std::sort(image.variables.begin(), image.variables.end(),
              [](const image_variable &a, const image_variable &b) { return a.base < b.base; });
}

// Of "void lib::scale<float, 2>(float*, int)" what stands between the result's type, which only templates have, and
// the parameters.
std::string without_types(const std::string &function) {
    auto depth = [](char c) { return c == ')' || c == '>' ? 1 : c == '(' || c == '<' ? -1 : 0; };
    size_t end = function.size();
    int open = 0;
    while (end > 0 && (open += depth(function[--end])) > 0) {}
    if (end == 0 || function[end] != '(') return function;
    size_t begin = end;
    open = 0;
    while (begin > 0 && (open > 0 || function[begin - 1] != ' ')) open += depth(function[--begin]);
    return function.substr(begin, end - begin);
}

const loaded &image() {
    static const loaded *const it = [] {
        auto *l = new loaded;
        dl_iterate_phdr(find_segments, l);
        int f = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
        struct stat info;
        if (f >= 0 && fstat(f, &info) == 0) {
            // Stays mapped: the names point into it.
            void *p = mmap(nullptr, size_t(info.st_size), PROT_READ, MAP_PRIVATE, f, 0);
            if (p != MAP_FAILED) read_symbols(*l, static_cast<const char *>(p), size_t(info.st_size));
        }
        if (f >= 0) close(f);
        return l;
    }();
    return *it;
}

}  // namespace

arena image_variables() { return image().writable; }

const image_variable *image_variable_at(const void *p) {
    const char *c = static_cast<const char *>(p);
    const auto &all = image().variables;
    auto after = std::upper_bound(all.begin(), all.end(), c, [](const char *at, const image_variable &v) { return at < v.base; });
    if (after == all.begin()) return nullptr;
    const image_variable &v = *(after - 1);
    return c < v.base + v.bytes ? &v : nullptr;
}

std::string image_function_at(const void *p) {
    for (const image_function &f : image().functions)
        if (f.base == p) return without_types(plain_name(f.name));
    return "";
}

std::string plain_name(const char *mangled) {
    // Names without a type, such as those of variables in no namespace, are not mangled; "f" alone would be taken for float.
    char *plain = mangled[0] == '_' && mangled[1] == 'Z' ? abi::__cxa_demangle(mangled, nullptr, nullptr, nullptr) : nullptr;
    std::string name = plain ? plain : mangled;
    free(plain);
    return name;
}

}  // namespace smux_cpu
