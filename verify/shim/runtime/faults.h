// Faults of a kernel after which its run goes on, so that what is wrong behind them is found as well.
#pragma once
#include "report.h"

namespace smux_cpu {

// In the checked build: puts poison where a kernel has accessed an address that is nobody's, so that the access can be
// made again, reads poison and writes where nobody reads. The program ends, as a GPU's would, when the launch does; the
// finding is written then. False where the address can't have memory: a null pointer, above all.
bool go_on_after_fault(char *address, const record &finding);
// At the end of a launch: ends the program if there was such a fault.
void end_after_fault();
// Writes the finding that is held back, if there is one: another one ends the program before the launch has ended.
void write_held_fault();

// An integer division that the processor refused.
enum class division {
    by_zero,   // done as a GPU does it: all bits of the quotient are set, the remainder is the dividend
    overflow,  // of the smallest number by -1: done, as a GPU does it, with that number as the quotient
    unknown,   // an instruction that is not known, or not of this processor: nothing has been done
};
division finish_division(void *context);

}  // namespace smux_cpu
