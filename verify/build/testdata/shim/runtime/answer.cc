#include "smux_cpu/cuda.h"
bool smux_cpu_checked;
int smux_cpu_answer() {
#ifdef SMUX_CPU_ADDRESS
    return 43;
#else
    return 42;
#endif
}
