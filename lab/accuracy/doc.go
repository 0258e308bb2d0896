// Package accuracy holds the register estimate of package cost against what nvcc
// gives, for every kernel of some programs:
//
//	go run ./lab/main.go accuracy -I common a.cu b.cu
//
// Each .cu file is a program of its own; what nvcc does not compile is left out. Of a
// kernel with several instances the one with the median error counts. Kernels are parted
// by a hash of their name, so that copies of a kernel are in the same part: mistakes of
// the estimate are looked for in three quarters ("looked at"), and the others ("held
// out") show how good it is. --list lists the kernels that are looked at; those that are
// held out are never listed.
//
// A kernel counts as limited by registers where an A100 runs more thread blocks with
// fewer registers alone. Where no launch tells the block, it has 256 threads.
package accuracy
