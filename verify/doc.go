// Package verify checks whether two CUDA programs do the same, without a GPU: it runs both on the CPU and compares
// what the host gets to see. With one program alone it looks for races, deadlocks, accesses out of bounds and reads
// of memory that nobody wrote.
//
// A program is translated to C++ (package translate), compiled (build) and run (execute) in several orders of its
// threads and blocks. The plain build runs in every order and gives the output that is compared; the checked build
// runs in fewer, because it is slower, and gives the findings. What a rewrite may not do is differ in a copy to the
// host, in standard output or in the exit status, or add a finding that the original lacks (Run).
//
// What it promises: a difference or finding that it reports did happen, in the run whose order and arguments it
// names, and its place is one of the original source. What it does not: a verdict holds for the inputs and orders
// that were run and for the arithmetic of this machine. It is a test, not a proof.
package verify
