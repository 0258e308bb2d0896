// Package build compiles translated CUDA programs to executables that run on
// the CPU, with the C++ compiler that the person has.
//
// What every program needs is compiled once and kept in a cache folder: the runtime's objects and the precompiled
// header of each build mode. Programs are kept there too, so that the same text is compiled once. The cache may be
// used by several processes at a time, and a process may be killed at any moment: everything is made in a folder of
// its own and then renamed.
//
// What a compiler refuses comes back as messages at places of the original, told apart into what smux does not
// support, what needs a library, and what does not compile (CompileError).
package build
