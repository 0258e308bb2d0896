// The name by which a program is called, for those that print it: programs that are compared lie in different
// folders, and their output must not differ for it.
#include <cerrno>
#include <cstdlib>

namespace {

// glibc and macOS pass to constructors what main will get.
__attribute__((constructor)) void rename_program(int count, char **arguments) {
    char *name = getenv("SMUX_PROGRAM");
    if (name && count > 0 && arguments && arguments[0]) arguments[0] = name;
#ifdef __GLIBC__
    if (name) program_invocation_short_name = name;  // assert prints it
#endif
}

}  // namespace
