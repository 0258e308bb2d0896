// Address spaces. All memory lies in the process's one, so conversions change nothing. (Addresses of shared
// memory don't fit into the 32 bits that PTX takes for them; instructions that use those aren't run.)
#pragma once
#include <stddef.h>

#include "smux_cpu/abi.h"

SMUX_CPU_INLINE size_t __cvta_generic_to_global(const void *p) { return (size_t)p; }
SMUX_CPU_INLINE size_t __cvta_generic_to_shared(const void *p) { return (size_t)p; }
SMUX_CPU_INLINE size_t __cvta_generic_to_constant(const void *p) { return (size_t)p; }
SMUX_CPU_INLINE size_t __cvta_generic_to_local(const void *p) { return (size_t)p; }
SMUX_CPU_INLINE void *__cvta_global_to_generic(size_t address) { return (void *)address; }
SMUX_CPU_INLINE void *__cvta_shared_to_generic(size_t address) { return (void *)address; }
SMUX_CPU_INLINE void *__cvta_constant_to_generic(size_t address) { return (void *)address; }
SMUX_CPU_INLINE void *__cvta_local_to_generic(size_t address) { return (void *)address; }

SMUX_CPU_INLINE unsigned __isGlobal(const void *p) {
    void *base;
    size_t bytes;
    int kind;
    return smux_cpu_find_allocation(p, &base, &bytes, &kind);
}
// Which of these a variable is, the runtime does not tell.
SMUX_CPU_INLINE unsigned __isShared(const void *) { smux_cpu_not_supported("__isShared"); }
SMUX_CPU_INLINE unsigned __isConstant(const void *) { smux_cpu_not_supported("__isConstant"); }
SMUX_CPU_INLINE unsigned __isLocal(const void *) { smux_cpu_not_supported("__isLocal"); }
