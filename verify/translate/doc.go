// Package translate turns CUDA C++ into C++ for the CPU, to be compiled with the shim of package verify: launches
// become calls, shared variables become references into the shim's shared memory, PTX becomes C++, and includes lead
// to the translated copies of headers.
//
// Qualifiers, built-ins and the runtime API need no translation: the shim has them as macros and functions.
//
// What it promises: every line of the original stays on its line, so that what compilers and debuggers report about
// lines holds for the original, and columns can be mapped back (File.Original); text that needs no translation is not
// touched; no input makes it panic.
//
// It works on tokens, with the syntax tree for context. So it also reaches what the tree has not: the bodies of
// macros, branches of an #if that the parser left out, and functions that did not parse.
//
// What it leaves out is listed in Unit.Remarks, or ends the program when it is reached: inline PTX that is not known
// calls smux_cpu_not_supported. A __host__ and a __device__ function of equal signature collide.
package translate
