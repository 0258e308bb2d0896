// Package targets settles for which GPUs kernels are looked at: those that a person or
// .smux.yaml names, else those that a compilation database has code made for, else
// those of this machine, else a small set of common ones. What it takes where nobody
// names one it prints on the console.
//
// Which GPU is meant may differ by program: those of a tree that mean the same are asked
// for once, and reported once.
package targets
