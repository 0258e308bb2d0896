// Package project finds the CUDA files below folders and parts them into programs:
// files that have to be looked at together, since one launches, declares or
// includes what another defines.
//
// It goes by a quick look at the tokens of each file (parser.NewOutline), not by a parse,
// and links files where it is in doubt: two that are together for nothing cost
// time, two that are apart may leave a launch behind when a kernel is rewritten.
// Of kernels that have the same name in unrelated folders each is linked with the
// launches nearest to it.
//
// It reads what builds say of files, too: compilation databases and build files.
package project
