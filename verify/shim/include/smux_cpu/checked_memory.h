// In the checked build, what a kernel does through memcpy, memmove and memset must be seen like its own loads and
// stores: g++ does not call hooks for them. So all calls, also those the compiler makes of itself, go to the checker,
// which does the work. To be included before the first function that is compiled with such a call.
#pragma once
#include <string.h>

#if defined(__SANITIZE_THREAD__) && !defined(__clang__)
extern "C" {
extern void *memcpy(void *, const void *, size_t) noexcept __asm__("smux_cpu_memcpy");
extern void *memmove(void *, const void *, size_t) noexcept __asm__("smux_cpu_memmove");
extern void *memset(void *, int, size_t) noexcept __asm__("smux_cpu_memset");
extern void *smux_cpu_builtin_memcpy(void *, const void *, size_t) noexcept __asm__("smux_cpu_memcpy");
extern void *smux_cpu_builtin_memmove(void *, const void *, size_t) noexcept __asm__("smux_cpu_memmove");
extern void *smux_cpu_builtin_memset(void *, int, size_t) noexcept __asm__("smux_cpu_memset");
}
// By these names g++ moves some lengths inline without a hook, and calls the C library for others. The shim's own code keeps them (names_begin.h).
#define __builtin_memcpy smux_cpu_builtin_memcpy
#define __builtin_memmove smux_cpu_builtin_memmove
#define __builtin_memset smux_cpu_builtin_memset
#elif defined(__clang__) && __clang_major__ < 15 && defined(__ELF__)
// Later ones call __tsan_memcpy and its like. These call the functions themselves, which get other names in the object.
#if __has_feature(thread_sanitizer)
__asm__(".set memcpy, smux_cpu_memcpy\n.set memmove, smux_cpu_memmove\n.set memset, smux_cpu_memset");
#endif
#endif
