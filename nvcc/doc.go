// Package nvcc asks the CUDA toolkit what the compiler makes of a kernel:
// registers, shared memory and spills per architecture (Resources), the machine
// instructions per source line and loop (Lines), and the machine code itself with what the compiler tells the hardware's scheduler (Codes). It needs
// nvcc and a host compiler that nvcc accepts, but no GPU.
//
// The texts of a program are given by the caller and need not be what is on
// disk, so that a variant can be judged before it is written. They are put into
// a temporary folder of the same layout; messages and places have the names of the
// request. The folders of a person are never written to.
//
// Answers are kept in the user's cache folder. An answer is used again only if
// the text, the flags, the toolkit, the host compiler and every file that the
// compiler had read are the same as then, by content (files of the system and
// of the toolkit by size and time of change), and if no header has come into an
// include folder that would now be found first. What this can't see is a new
// header more than three folders below one that is searched, or below one that
// holds thousands of files.
//
// The package looks at kernels one .cu file at a time: what a linker would change
// (device functions of other files, link-time optimisation) is not seen.
package nvcc
