package rewrite

import (
	"github.com/smux-cuda/smux/diag"
)

// Options are the knobs of one run.
type Options struct {
	Variant string   // "vtb" or "dyn", "" for the default choice
	Factor  int      // N, original thread blocks per launched block; 0 means 2
	Sync    string   // "named", "lock", "block", or "" for the first of these that can be proved
	Slots   int      // M, sets of shared arrays of dyn; 0 means 1
	Kernels []string // names or globs; empty means all
	Block   [3]int   // block shape for kernels whose launch is out of sight; zero if not given
	Runtime string   // "inline" (default) or "header"
	// Decisions say what becomes of single kernels, by the position of their
	// names; all others are rewritten as Variant, Factor and Sync say. Kernels
	// of one Group must be decided on alike.
	Decisions map[diag.Position]Decision
	// Unsafe makes the rewrite wrong on purpose. It is for tests of package
	// verify; no flag of the command line reaches it.
	Unsafe UnsafeShrink
}

// FileResult is one file of the program that changed.
type FileResult struct {
	Name          string
	Before, After []byte
}

// KernelResult says what became of one kernel.
type KernelResult struct {
	Name    string
	Pos     diag.Position
	Variant string         // "vtb" or "dyn", "" if the kernel was left alone
	Factor  int            // N
	Sync    string         // "named", "lock" or "block", "" if the kernel was left alone
	Slots   int            // M of dyn, 0 for other variants
	Refused []diag.Message // why it was left alone, in source order
	Notes   []diag.Message // what the reader should know of a rewritten kernel
}

// Result is the outcome of a run over a program.
type Result struct {
	Files   []FileResult // only files that changed
	Kernels []KernelResult
}
