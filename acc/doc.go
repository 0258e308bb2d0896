// Package acc translates C with OpenACC directives to CUDA that a person can review.
//
// A file goes through these steps, each a file or two of this package:
//
//	words      (a package) words of C that C++ has otherwise; headers that have to stand in the file
//	source     the text, and the same with macros written out, parsed; which place is which
//	unit       the directives, bound to the statements that they govern
//	symbols    the variables, their types and where they are visible
//	accesses   what a statement reads and writes, and whether an iteration can have a variable for itself
//	loops      loops that count, and what is known of their counters
//	depend     whether two iterations of a loop meet at one element
//	behind     who needs the value of a variable after a statement
//	construct  what of a compute construct becomes a kernel, what a loop of the host
//	phases     what the threads of a block do together in an iteration of a gang's loop
//	mapping    how many threads a nest of loops gets, and what else it could get
//	forms      subscripts and bounds as polynomials; how much of an array loops use
//	region     which arrays have a copy on the device, and where it is made; pointers that lead
//	           elsewhere meanwhile
//	member     pointers in structures, which are variables of their own
//	routine    functions that kernels call, and constants of the file that these use
//	localtypes types of functions, and functions of headers, that kernels need
//	rows       arrays whose rows are as long as a variable says
//	cplusplus  C that C++ does not take, and host, what it wants written
//	told       loops without threads of their own, and clauses that nothing in the translation does
//	emit…      the CUDA text, with pieces of package texts
//
// What it promises: each directive is honoured or refused with a place and a reason. A loop runs in parallel where a
// directive says that its iterations are independent, unless subscripts that can be read say otherwise, and where
// smux proves it. All other loops run in the order of the C program, on the host with kernels in their bodies, or on
// one thread. Arithmetic is done in the order of the C program but for reductions, whose order is the same on each
// run.
//
// What it leaves out: it is no C compiler. Text outside of compute constructs is passed on
// as it is, but for what C++ would not take (implicit conversions of what malloc returns).
// Pointers that clauses of one directive name are taken to be of different memory.
package acc
