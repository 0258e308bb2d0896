// Package parser turns CUDA C++ source into a lossless Go tree with byte offsets into the original text, plus a typed
// view of it: kernels, device functions, launches, macros.
//
// There is no CUDA grammar at hand, so the parser is an overlay on the C++ grammar of tree-sitter: one lexer pass
// finds the tokens, CUDA-only syntax is blanked with text of equal length and remembered as a Mark, the result is
// parsed as C++, and the marks are attached again (overlay.go). A launch k<<<g, b>>>(a) is read as the call of a call
// k.f(g, b)  (a).
//
// What it promises: no input makes it panic; every node's range lies within the original bytes; a masked text has the
// length and the line breaks of the original; a fault in one function leaves the others usable (Function.Error
// tells). Everything is safe for concurrent use.
//
// What can't be parsed at all is worked around where that is known to be possible (workaround.go). Each work-around
// leaves a MarkFix; those that hide text or change the tree's shape must make an analysis careful:
//
//	loop-macro        a ';' was put after LOOP(i, n): the next statement is its body
//	statement-macro   a ';' was put after a macro use; of a macro that is not in
//	                  view this may be a loop as well
//	lone-macro        a name in capitals, alone on its line between declarations, was blanked
//	class-macro       a macro use in a class was blanked
//	for-declaration   the type of for (…; int w = a[i]; …) was blanked
//	pragma            a _Pragma was blanked: it may be about the loop after it
//	bare-pragma       a #pragma where the grammar takes no directive was blanked
//	pack-pointer      the * of Ts *...ps was blanked: the parameters are pointers
//	type-argument     a type among a macro's arguments is read as a name
//	string-macro      a macro next to a string literal was blanked
//	inactive-branch   a branch of an #if that could not be decided was hidden
//	dead-branch       a branch that is certainly left out was hidden
//	directive         an #if, #else or #endif line of such a group
//	decided-directive the same of a group of which it is certain which branch is compiled
//	va_arg            the type of va_arg(list, type) was blanked
//	asm               an asm statement is read as a call of "asm"
//
// The others (stray-semicolon, new-pointer-array, new-const, typeid, enum-base,
// empty-initializer, class-instantiation, unnamed-pointer) change nothing that matters.
//
// What it leaves out: it resolves no names and no types, and does not preprocess. Both branches of an #if stay in the
// tree; Macros answers what a name stands for at an offset, where that is decidable.
package parser
