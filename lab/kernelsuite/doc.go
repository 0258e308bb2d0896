// Package kernelsuite judges a folder of kernels without host code, each of which says in
// its first lines what is right: the form of GPUVerify's test suite for CUDA
// (github.com/mc-imperial/gpuverify, testsuite/CUDA).
//
//	//pass                                    or //xfail:NOT_ALL_VERIFIED, or another error
//	//--blockDim=64 --gridDim=[8,2] -DN=4     the launch
//
// Each kernel is run as `smux check` runs one that nobody says how to run, with the launch
// that is given; blocks of more than 1,024 threads are made smaller. Their
// annotations are defined in annotations.h: what must hold of parameters ends the thread where it does
// not, assertions and invariants trap, and what only a proof can use is true.
//
// What it promises: it counts what was found, and what could not be run. Reads of shared
// memory that nobody wrote are counted apart, since GPUVerify does not look for them.
package kernelsuite
