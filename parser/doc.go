// Package parser turns CUDA C++ source into a lossless Go tree with byte
// offsets into the original text, plus a typed view of it: kernels, device
// functions, launches, macros.
//
// There is no CUDA grammar at hand, so the parser is an overlay on the C++
// grammar of tree-sitter: one lexer pass finds the tokens, CUDA-only syntax is
// blanked with text of equal length and remembered as a Mark, the result is
// parsed as C++, and the marks are attached again (see Overlay in overlay.go).
// A launch k<<<g, b>>>(a) is read as the call of a call k.f(g, b)  (a).
//
// What it promises: no input makes it panic; every node's range lies within
// the original bytes; a masked text has the length and the line breaks of the
// original; a fault in one function leaves the others usable (Function.Error
// tells). Everything is safe for concurrent use.
//
// What it leaves out: it resolves no names and no types, and does not
// preprocess. Both branches of an #if stay in the tree; Macros answers what a
// name stands for at an offset, where that is decidable.
package parser
