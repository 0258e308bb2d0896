// Package reuse finds global arrays that a thread block reads more often than
// it has elements of them to read, so that staging them in shared memory would
// save global transactions (design §4.7; Xie et al., ICCAD).
//
// What it reports are candidates: facts of the text, and no verdict. Whether staging pays, of which arrays and
// in which tiles, the model says of the text that stage writes (package pipeline/selection).
// What a rewrite has to establish first is listed with each (Needs), as is what forbids it (Refused). Counts are those of a whole thread block without any cache: part
// of the transactions that staging saves may hit in the L1 or L2 today.
// Addresses are those of package affine, with its assumptions; strides that
// are not known are assumed large, so that rows don't overlap. Threads at
// the grid's edge, and those that a guard keeps out, count like the others.
//
// Left out: reuse between thread blocks, reuse of one thread's own elements
// (registers serve that), constant memory and textures, arrays reached through
// pointers that were loaded from memory, and neighbours whose index is loaded.
package reuse
