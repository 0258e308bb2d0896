package rewrite

import (
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/diag"
)

// Options are the knobs of one run.
type Options struct {
	// Variant is what to do. Of its fields, an empty Rewriter means "vtb", no Factor 2,
	// no SharedSets 1, and no Sync the first sync mode that can be proved.
	Variant
	Kernels []string // names or globs; empty means all
	Block   [3]int   // block shape for kernels whose launch is out of sight; zero if not given
	Runtime string   // "inline" (default) or "header"
	// Decisions say what becomes of single kernels, by the position of their
	// names; all others are rewritten as Variant says. Kernels
	// of one Group must be decided on alike.
	Decisions map[diag.Position]Decision
	// Unsafe makes the rewrite wrong on purpose. It is for tests of package
	// verify; no flag of the command line reaches it.
	Unsafe UnsafeShrink

	closed map[*ir.Func]bool // device functions that no turns may be taken in
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
	Variant                // what was done; the zero value if the kernel was left alone
	Refused []diag.Message // why it was left alone, in source order
	Notes   []diag.Message // what the reader should know of a rewritten kernel
}

// Result is the outcome of a run over a program.
type Result struct {
	Files   []FileResult // only files that changed
	Kernels []KernelResult
}
