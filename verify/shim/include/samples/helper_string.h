// What programs take from helper_string.h of the CUDA samples: arguments such as -name=value, with one dash or two.
#pragma once
#include <strings.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#ifndef EXIT_WAIVED
#define EXIT_WAIVED 2
#endif
#ifndef STRCASECMP
#define STRCASECMP strcasecmp
#define STRNCASECMP strncasecmp
#endif

// Returns what follows the name in the last argument that begins with it, "" where it ends there, null where none does.
inline const char *smux_sample_argument(int argc, const char **argv, const char *name) {
    size_t length = strcspn(name, "=");
    const char *found = nullptr;
    for (int i = 1; i < argc; i++) {
        const char *a = argv[i] + strspn(argv[i], "-");
        if (a == argv[i] || strncasecmp(a, name, length) != 0 || a[length] != 0 && a[length] != '=') continue;
        found = a + length + (a[length] == '=');
    }
    return found;
}
inline bool checkCmdLineFlag(int argc, const char **argv, const char *name) { return smux_sample_argument(argc, argv, name) != nullptr; }
inline int getCmdLineArgumentInt(int argc, const char **argv, const char *name) {
    const char *value = smux_sample_argument(argc, argv, name);
    return value ? atoi(value) : 0;
}
inline float getCmdLineArgumentFloat(int argc, const char **argv, const char *name) {
    const char *value = smux_sample_argument(argc, argv, name);
    return value ? float(atof(value)) : 0;
}
template <class T> inline bool getCmdLineArgumentValue(int argc, const char **argv, const char *name, T *value) {
    const char *text = smux_sample_argument(argc, argv, name);
    *value = text ? T(atof(text)) : T();
    return text != nullptr;
}
inline bool getCmdLineArgumentString(int argc, const char **argv, const char *name, char **value) {
    const char *text = smux_sample_argument(argc, argv, name);
    *value = text ? strdup(text) : nullptr;
    return text != nullptr;
}

// Looks beside the program, in data and in its parent's data; null where no file is there.
inline char *sdkFindFilePath(const char *name, const char *) {
    for (const char *folder : {"", "data/", "../data/", "../../data/"}) {
        char path[4096];
        snprintf(path, sizeof path, "%s%s", folder, name);
        if (FILE *f = fopen(path, "rb")) {
            fclose(f);
            return strdup(path);
        }
    }
    return nullptr;
}
