// Package harness builds the host side of a kernel that has no program: it reads what to launch the kernel with,
// checks that against the kernel's parameters, and writes a main that allocates, fills, launches, and copies
// everything back. The main is CUDA that nvcc compiles, so that it can be run on a GPU, run on the CPU, and rewritten
// together with its kernel.
//
// A specification comes from flags,
//
//	--kernel 'scale<float>' --launch 'grid=(n+255)/256,block=256'
//	--arg n=4096 --arg alpha=1.5f --buffer in=float[n]:random --buffer out=float[n]
//
// or from comments above the kernel, one per run, with the same items in any
// order; without a name the kernel below is meant:
//
//	// smux:bench scale<float> grid=(n+255)/256 block=256 n=4096 alpha=1.5f in=float[n]:random out=float[n]
//
// The items:
//
//	grid=E block=E      up to three extents, as in 8x4x1
//	shared=E            bytes of dynamic shared memory
//	NAME=VALUE          a parameter that is not a pointer: an integer expression or a C literal
//	NAME=TYPE[E]:FILL   a pointer: an array of E elements in device memory
//
// E is an integer expression: + - * / % and parentheses, min(a, b), max(a, b), ceildiv(a, b) or ceil(a, b), integer
// parameters of the specification, also such as the kernel does not have, and macros of the file. FILL is one of
//
//	zero           the default
//	iota           0, 1, 2 …
//	rows           where rows begin, as of a sparse matrix: 0, and each row has 0 to 82 elements
//	const(V)       V everywhere
//	distinct       values that tell elements apart, none of which is zero; whole ones are below
//	               the number of elements
//	random         64 different values: 0 … 63, or multiples of 1/64 below 1, so that
//	               sums of floats are mostly exact in any order; 0 and 1 for bool
//	random(LO,HI)  from LO up to, but without HI
//	bytes          random bytes, for structures
//	file(PATH)     the first bytes of a file
//
// The vector types of CUDA (float4, uchar2 …) are filled component by component. What random gives depends on the
// name of the buffer alone, so two programs see the same numbers.
//
// A pointer inside of a parameter that is a structure is written by its path, as in
// q.row=float[64], and so is a number: q.n=5; NAME=OTHER gives a pointer the array of another one.
//
// Where nobody says how a kernel is run, Choose does, and Measure finds out how large its
// arrays must be by running it.
//
// In a comment a parameter whose name is grid, block or shared is written param.grid and so on.
//
// What it leaves out: pointers to pointers, surfaces, kernels that
// need set-up by host code, such as constant memory to be filled.
package harness
